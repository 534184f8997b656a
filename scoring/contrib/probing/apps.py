from evalapp import navigation
from evalapp.doors import Contrib


class ProbingConfig(Contrib):
    name = "scoring.contrib.probing"
    urls = {"study": "scoring.contrib.probing.urls"}

    def ready(self) -> None:
        from evalapp.work import kinds
        from scoring.contrib.probing.worker import PROBES

        kinds.register(PROBES)
        page = navigation.Page("Probing", "probing", also=("probe", "probe_start"))
        navigation.add("metrics", lambda study: [page], after="corpora")
