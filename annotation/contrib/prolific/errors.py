class RecruitingError(Exception):
    """This cannot be done now. The message says why."""


class BudgetError(RecruitingError):
    """They may not spend it, or there is no money left for it."""
