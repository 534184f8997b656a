from scoring.management.analyses import PrintAnalysis


class Command(PrintAnalysis):
    help = (
        "Say for each aspect how many ratings you can save with a metric. If the study"
        " drew a random part, also give each system's mean with its help."
    )
    analysis = "saved"
    own = ("target", "share", "metric")
    compares = True
