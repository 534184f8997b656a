"""The margins of the verdicts, in one place, each with the claim that it decides.

    KEEPS   "keeps at least 85 % of one rater's agreement with people"
    LITTLE  "gains less than a third of what one rater reaches over a simple guess"
    HARDLY  "people hardly agree": one rater surely agrees with the others by less
    MOST    beyond ten times the present prompts no forecast is made

They are conventions, not estimates. `benchmarks/verdicts.md` shows how often each
claim is made where it is false.
"""

ALPHA = 0.05
POWER = 0.8
KEEPS = 0.85
LITTLE = 1 / 3
HARDLY = 0.2
MIN_PROMPTS = 10
MOST = 10
# Ratings of one text by more people than that are nobody's advice.
MAX_RATERS = 15
