from evalapp.doors import Contrib


class MturkConfig(Contrib):
    """What the platform itself needs of every page is in `annotation.platforms`."""

    name = "annotation.contrib.mturk"
    urls = {
        "study": "annotation.contrib.mturk.urls.study",
        "worker": "annotation.contrib.mturk.urls.worker",
    }
    inner_middleware = ("annotation.contrib.mturk.views.mount",)
