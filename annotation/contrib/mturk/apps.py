from evalapp.doors import Contrib


class MturkConfig(Contrib):
    """What the platform itself needs of every page is in `annotation.platforms`."""

    name = "annotation.contrib.mturk"
    urls = {
        "study": "annotation.contrib.mturk.urls",
        "worker": "annotation.contrib.mturk.worker_urls",
    }
    inner_middleware = ("annotation.contrib.mturk.views.mount",)
