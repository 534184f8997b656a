from scoring.management.analyses import PrintAnalysis


class Command(PrintAnalysis):
    help = (
        "Say for each aspect whether you may let a metric replace a rater (alternative"
        " annotator test, by prompt and as published), with a table."
    )
    analysis = "replaces"
    own = ("epsilon", "closeness")
    compares = True
