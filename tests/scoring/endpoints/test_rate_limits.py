"""Calls and tokens of any 60 seconds stay under their limits."""

from scoring.endpoints import rate_limits
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.rate_limits import RateLimiter
from tests.scoring.endpoints.servers import Clock


def test_calls_of_a_minute_are_counted():
    clock = Clock()
    found = RateLimiter(2, 0, clock.read)
    assert found.reserve(1)[1] and found.reserve(1)[1]
    clock.now = 10
    assert found.reserve(1) == (50, None)
    clock.now = 60
    assert found.reserve(1)[1] is not None


def test_tokens_of_a_minute_are_counted_as_the_server_tells_them():
    clock = Clock()
    found = RateLimiter(0, 100, clock.read)
    _, booking = found.reserve(90)
    assert found.reserve(20) == (60, None)
    found.correct(booking, 30)
    assert found.reserve(20)[1] is not None and found.reserve(60)[1] is None


def test_one_call_that_is_over_the_limit_goes_through_alone():
    found = RateLimiter(0, 10, Clock().read)
    assert found.reserve(99)[1] is not None and found.reserve(1)[1] is None


def test_no_limit_is_none():
    found = RateLimiter(0, 0, Clock().read)
    assert all(found.reserve(10**9)[1] for _ in range(1000))


def test_all_who_ask_an_endpoint_share_its_limits():
    lab = Endpoint("lab", "http://a.org", ("tiny",), calls_per_minute=7)
    assert rate_limits.of(lab) is rate_limits.of(lab)
    assert rate_limits.of(lab) is not rate_limits.of(
        Endpoint("b", "http://b.org", ("tiny",))
    )
