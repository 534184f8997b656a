from evalapp.doors import Contrib


class ArgentGridConfig(Contrib):
    """Its command alone."""

    name = "scoring.contrib.argent_grid"
