from evalapp.doors import Contrib


class PrometheusConfig(Contrib):
    name = "evalapp.contrib.prometheus"
    variables = ("METRICS_TOKEN",)
    outer_middleware = ("evalapp.contrib.prometheus.middleware.count",)

    def ready(self) -> None:
        from evalapp.contrib.prometheus import checks  # noqa: F401 -- registers it

    def before_start(self) -> None:
        from evalapp.contrib.prometheus import figures

        figures.forget()
