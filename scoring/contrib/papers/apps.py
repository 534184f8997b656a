from evalapp.doors import Contrib


class PapersConfig(Contrib):
    name = "scoring.contrib.papers"

    def ready(self) -> None:
        from scoring.contrib.papers.companion import COMPANION
        from scoring.publishing import companions

        companions.register(COMPANION)
