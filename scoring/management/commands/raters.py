from scoring.management.analyses import PrintAnalysis


class Command(PrintAnalysis):
    help = (
        "Say for each aspect whether a rater is too strict or too lenient, and what"
        " each system would get from the average rater."
    )
    analysis = "raters"
    own = ("aspect",)
