"""SurveyMonkey: a row for each person, and a header of two rows.

The upper row has the question, the lower one the texts that it was asked of, a column
for each. Who answered is the Respondent ID. (help.surveymonkey.com, exports)
"""

from __future__ import annotations

from annotation.imports.presets._preset import Preset, has
from annotation.imports.presets._surveys import Survey

SURVEY = Survey(
    who=("respondent id",),
    own=frozenset(
        "collector id|start date|end date|ip address|email address|first name"
        "|last name|custom data 1|date created|date modified|custom value".split("|")
    ),
)

PRESET = Preset(
    title="SurveyMonkey",
    help=__doc__ or "",
    recognises=has("Respondent ID", "Collector ID"),
    unfold=SURVEY.unfold,
)
