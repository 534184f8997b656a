from evalapp.doors import Contrib


class ToolResultsConfig(Contrib):
    """What has come in by it is scores and runs like others."""

    name = "scoring.contrib.tool_results"

    def ready(self) -> None:
        from annotation.imports import intakes
        from scoring.contrib.tool_results.intake import INTAKE

        intakes.register(INTAKE)
