"""What the presets call errors, and what each name means to those who mark.

In short words after the typology of MQM (themqm.org, core), the guidelines of ESA
(Kocmi et al. 2024) and Thomson and Reiter (2020). A page says names and meanings in its
language, where there are words for them.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

SEVERITIES = {
    gettext_noop("Neutral"): gettext_noop(
        "Not wrong: you would only put it differently."
    ),
    gettext_noop("Minor"): gettext_noop(
        "The text reads less well, but its meaning stays clear."
    ),
    gettext_noop("Major"): gettext_noop(
        "The meaning changes or is lost, or readers cannot follow."
    ),
}
MQM = {
    gettext_noop("Accuracy"): gettext_noop(
        "It does not mean what the source means: something is wrong, added or left out."
    ),
    gettext_noop("Fluency"): gettext_noop(
        "Grammar, spelling or wording is wrong in this language."
    ),
    gettext_noop("Punctuation"): gettext_noop(
        "A comma, a full stop or the like is wrong or missing."
    ),
    gettext_noop("Terminology"): gettext_noop(
        "A term is wrong for the subject, or changes within the text."
    ),
    gettext_noop("Style"): gettext_noop("Not wrong, but clumsy or in the wrong tone."),
    gettext_noop("Locale convention"): gettext_noop(
        "A date, number, name or address is not written as it is in this place."
    ),
    gettext_noop("Other"): gettext_noop("An error of no other kind."),
    gettext_noop("Non-translation"): gettext_noop(
        "The text as a whole is no translation of the source."
    ),
}
FACTS = {
    gettext_noop("Number"): gettext_noop("A number is wrong, in digits or in words."),
    gettext_noop("Name"): gettext_noop(
        "A name is wrong, for example of a person, a place or a day."
    ),
    gettext_noop("Word"): gettext_noop(
        "A word is wrong that is neither a number nor a name."
    ),
    gettext_noop("Context"): gettext_noop(
        "True by itself, but it makes readers believe something false."
    ),
    gettext_noop("Not checkable"): gettext_noop(
        "What you were given does not say whether it is true."
    ),
    gettext_noop("Other"): gettext_noop("An error of no other kind."),
}
