"""The questions and words that a new study begins with, before its language is known.

Pages and studies translate them, with Django's `gettext`.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

COHERENCE = {
    "key": "coherence",
    "title": gettext_noop("Coherence"),
    "question": gettext_noop("Do the sentences fit together as one text?"),
    "pair_question": gettext_noop(
        "In which text do the sentences fit together better?"
    ),
    "low": gettext_noop("Not at all: the sentences have nothing in common"),
    "middle": gettext_noop("Partly: some sentences do not fit"),
    "high": gettext_noop("Completely: each sentence follows from the last"),
}
CONSISTENCY = {
    "key": "consistency",
    "title": gettext_noop("Consistency"),
    "question": gettext_noop("Does the text continue naturally from its opening?"),
    "pair_question": gettext_noop(
        "Which text continues more naturally from its opening?"
    ),
    "low": gettext_noop("Not at all: it ignores or contradicts the opening"),
    "middle": gettext_noop("Partly: it drifts away from the opening"),
    "high": gettext_noop("Completely: it follows from the opening"),
}
ATTRIBUTE_RELEVANCE = {
    "key": "attribute-relevance",
    "title": gettext_noop("Attribute relevance"),
    "question": gettext_noop("How well does the text express {label}?"),
    "pair_question": gettext_noop("Which text expresses {label} better?"),
    "low": gettext_noop("Not at all"),
    "middle": gettext_noop("Partly: you could read it either way"),
    "high": gettext_noop("Completely: anyone would say so"),
}
OVERALL = {
    "key": "overall",
    "title": gettext_noop("Overall quality"),
    "question": gettext_noop("Overall, how good is this text?"),
    "pair_question": gettext_noop("Overall, which text is better?"),
    "low": gettext_noop("Very poor"),
    "middle": gettext_noop("Fair"),
    "high": gettext_noop("Very good"),
}
# What CTRLEval (Ke et al. 2022, section 4.1) asked people, in plain words.
DEFAULT_ASPECTS = (COHERENCE, CONSISTENCY, ATTRIBUTE_RELEVANCE)
DEFAULT_KEYS = tuple(aspect["key"] for aspect in DEFAULT_ASPECTS)
KNOWN_ASPECTS = {aspect["key"]: aspect for aspect in (*DEFAULT_ASPECTS, OVERALL)}

INSTRUCTIONS = gettext_noop("""\
Each page shows the opening of a text and several ways it could continue. Some pages \
also say which feeling or topic the texts should express.

Read each text to the end. Then answer each question about it with a number on the \
scale. The labels explain the lowest, middle and highest score.

There are no right answers: we want your own impression. Judge each text on its own. \
Ignore small spelling or spacing mistakes unless a question asks about them.
""")
CONSENT = gettext_noop("""\
You will read short texts and rate them. Taking part is voluntary. You can stop at any \
time, without giving a reason.

We store your ratings and how long they took under a code, not under your name. At \
the end you see this code, and there you can have your ratings deleted. If you have a \
question, write to the contact on this page.
""")
# Where not all pages ask for ratings.
ANSWERS_CONSENT = gettext_noop("""\
You will read short texts and compare or correct them, or answer questions about them. \
Taking part is voluntary. You can stop at any time, without giving a reason.

We store your answers and how long they took under a code, not under your name. At \
the end you see this code, and there you can have your answers deleted. If you have a \
question, write to the contact on this page.
""")
