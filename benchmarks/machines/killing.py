"""What is killed when: drawn from a seed, so that a run can be repeated."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from machines.servers import Server, Site, Worker

EVERY = 12.0  # seconds from one to the next, on average
AWAY = (2.0, 8.0)  # seconds until it is started again
STOPPING = (8.0, 15.0)  # of a worker that may give its work back
RESTART_SECONDS = 5.0  # of what ended by itself, as systemd does
# A request that began a little later may still meet what was left of it: nginx asks a
# site that has failed no sooner than after ten seconds.
GRACE = 12.0


@dataclass
class Window:
    """A time in which pages may fail, because a part that they need is away."""

    began: float
    ended: float = float("inf")


@dataclass
class Fleet:
    """All that runs, what is down now, and when the site could not answer."""

    sites: Sequence[Site]
    workers: Sequence[Worker]
    broker: Server
    database: Server
    rng: random.Random
    windows: list[Window] = field(default_factory=list)
    n: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    _down: dict[Server, float] = field(default_factory=dict)  # when it starts again
    _starting: dict[Server, Window | None] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def tick(self) -> None:
        """Start again what is due, and see what has come back, or ended by itself."""
        now = time.monotonic()
        for one, at in list(self._down.items()):
            if now >= at:
                del self._down[one]
                one.start()
        for one, window in list(self._starting.items()):
            if one not in self._down and one.is_well():
                del self._starting[one]
                if window:
                    window.ended = time.monotonic() + GRACE
        for one in (*self.sites, *self.workers):
            if one not in self._down and one.ended_by_itself():
                code = one.child.returncode if one.child else None
                self.note(f"{one.name} ended by itself", f"with {code}")
                self._away(one, one.kill, RESTART_SECONDS)

    def kill_for(self, seconds: float) -> None:
        """Until the time is over; then all that was killed is started again."""
        end = time.monotonic() + seconds
        following = time.monotonic() + self.rng.expovariate(1 / EVERY)
        while time.monotonic() < end:
            if time.monotonic() >= following:
                self.kill_one()
                following = time.monotonic() + self.rng.expovariate(1 / EVERY)
            self.tick()
            time.sleep(0.2)

    def kill_one(self) -> None:
        """Something that is up."""
        kinds: dict[Callable[[], None], int] = {
            self._worker_killed: 5,
            self._worker_stopped: 2,
            self._site_killed: 2,
            self._site_process_killed: 2,
            self._broker_killed: 3,
            self._database_killed: 3,
        }
        self.rng.choices(list(kinds), list(kinds.values()))[0]()

    def all_well(self) -> bool:
        return not self._down and not self._starting

    def note(self, what: str, more: str = "") -> None:
        self.n[what] += 1
        at = time.monotonic() - self.began
        self.told.append(f"{at:6.1f} s  {what} {more}".rstrip())
        print(self.told[-1], flush=True)

    def covers(self, began: float, ended: float) -> bool:
        """Whether a part that pages need was away within this time."""
        return any(began < one.ended and ended > one.began for one in self.windows)

    # Each draws what it needs before it looks whether that is up: a run with the same
    # seed then draws the same, however long things take.

    def _worker_killed(self) -> None:
        one, pause = self.rng.choice(self.workers), self.rng.uniform(*AWAY)
        self._away(one, one.kill, pause, f"{one.name} killed")

    def _worker_stopped(self) -> None:
        one, pause = self.rng.choice(self.workers), self.rng.uniform(*STOPPING)
        self._away(one, one.ask_to_stop, pause, f"{one.name} asked to stop")

    def _site_killed(self) -> None:
        one, pause = self.rng.choice(self.sites), self.rng.uniform(*AWAY)
        self._away(one, one.kill, pause, f"{one.name} killed", needed=True)

    def _site_process_killed(self) -> None:
        one = self.rng.choice(self.sites)
        if one not in self._down and one not in self._starting:
            now = time.monotonic()
            self.note(f"{one.name}: the process that answers killed")
            self.windows.append(Window(now, now + GRACE))
            one.kill_process()

    def _broker_killed(self) -> None:
        pause = self.rng.uniform(*AWAY)
        name = f"{self.broker.name} killed"
        self._away(self.broker, self.broker.kill, pause, name)

    def _database_killed(self) -> None:
        pause, one = self.rng.uniform(*AWAY), self.database
        self._away(one, one.kill, pause, f"{one.name} killed", needed=True)

    def _away(
        self,
        one: Server,
        how: Callable[[], None],
        pause: float,
        what: str = "",
        *,
        needed: bool = False,
    ) -> None:
        if one in self._down:
            return
        if what:
            self.note(what, f"for {pause:.1f} s")
        window = None
        if needed or isinstance(one, Site):
            self.windows.append(window := Window(time.monotonic()))
        before = self._starting.pop(one, None)
        if before:  # it had not come back yet
            before.ended = time.monotonic()
        how()
        self._down[one] = time.monotonic() + pause
        self._starting[one] = window
