"""Where work waits: by what it needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

GPU = "gpu"  # large models and trainings
CPU = "cpu"  # metrics without a model, and small models
JUDGES = "judges"  # calls over the network, which no GPU should wait for
DEFAULT = "default"  # quick: analyses, bundles, the opening of studies
ALL = (GPU, CPU, JUDGES, DEFAULT)

# While nobody takes the first, workers of the second do its work, too: those of before
# there was a queue `cpu` took all of it from `gpu`.
STANDS_IN = {CPU: GPU}


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
