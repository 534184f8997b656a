"""Names of the categories and severities that studies begin with, for translators: a
page says the name of each in its language, where there are words for it."""

from django.utils.translation import gettext_noop

NAMES = (
    gettext_noop("Minor"),
    gettext_noop("Major"),
    gettext_noop("Neutral"),
    gettext_noop("Accuracy"),
    gettext_noop("Fluency"),
    gettext_noop("Punctuation"),
    gettext_noop("Terminology"),
    gettext_noop("Style"),
    gettext_noop("Locale convention"),
    gettext_noop("Non-translation"),
    gettext_noop("Other"),
    gettext_noop("Number"),
    gettext_noop("Name"),
    gettext_noop("Word"),
    gettext_noop("Context"),
    gettext_noop("Not checkable"),
)
