from evalapp.doors import Contrib


class S3Config(Contrib):
    name = "evalapp.contrib.s3"
    variables = ("STORAGE_URL",)
