"""Where work waits: by what it needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

GPU = "gpu"  # large models and trainings
CPU = "cpu"  # metrics without a model, and small models
JUDGES = "judges"  # calls over the network, which no GPU should wait for
MAIL = "mail"  # emails, for workers that know the mail server's password
DEFAULT = "default"  # quick: analyses, data sets, the opening of studies
ALL = (GPU, CPU, JUDGES, MAIL, DEFAULT)

# While nobody takes the first, workers of the second do its work, too: those of before
# there was a queue `cpu` took all of it from `gpu`, and emails from `default`.
STANDS_IN = {CPU: GPU, MAIL: DEFAULT}


def of_process(*, sends_mail: bool) -> tuple[str, ...]:
    """All whose work a process can do: what it lacks the secret for waits elsewhere."""
    return tuple(name for name in ALL if name != MAIL or sends_mail)


def place(queue: str, taken: Iterable[Collection[str]]) -> str:
    """Where a message for this queue finds a worker.

    Args:
        queue: What the row says.
        taken: The queues of each living worker; none: it takes all.
    """
    taken, other = list(taken), STANDS_IN.get(queue, queue)
    if any(takes(one, queue) for one in taken):
        return queue
    return other if any(takes(one, other) for one in taken) else queue


def takes(queues: Collection[str], queue: str) -> bool:
    return not queues or queue in queues
