from evalapp.doors import Contrib


class JudgeLabConfig(Contrib):
    name = "scoring.contrib.judge_lab"
    urls = {"study": "scoring.contrib.judge_lab.urls"}
