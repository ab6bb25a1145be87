"""Options of a worker: what is accepted, what it comes to, and what is refused."""

import math
from datetime import timedelta

import pytest

from bullpy.errors import OptionError
from bullpy.options import KeepJobs, Limiter, Metrics, WorkerSettings, parse_worker_options
from tests.fixtures.naming import stable

WHERE = "worker of queue mail"


def strategy(attempts, kind, error, job):  # noqa: ARG001 - the shape of a backoff strategy
    """A backoff of one's own."""
    return 5


def refusal(options):
    """What is said about options that are refused."""
    with pytest.raises(OptionError) as error:
        parse_worker_options(options, where=WHERE)
    return str(error.value)


def test_the_defaults_are_bullmqs():
    assert parse_worker_options(None, where=WHERE) == WorkerSettings(
        concurrency=1,
        autorun=True,
        limiter=None,
        maximum_rate_limit_delay=30_000,
        lock_duration=30_000,
        lock_renew_time=15_000,
        skip_lock_renewal=False,
        stalled_interval=30_000,
        max_stalled_count=1,
        skip_stalled_check=False,
        max_started_attempts=None,
        drain_delay=5,
        remove_on_complete=None,
        remove_on_fail=None,
        metrics=None,
        name=None,
        backoff_strategy=None,
        run_retry_delay=15_000,
    )


@pytest.mark.parametrize(
    ("given", "attribute", "expected"),
    [
        ({"concurrency": 20}, "concurrency", 20),
        ({"concurrency": 20.0}, "concurrency", 20),
        ({"autorun": False}, "autorun", False),
        (
            {"limiter": {"max": 10, "duration": timedelta(seconds=1)}},
            "limiter",
            Limiter(10, 1000),
        ),
        ({"maximum_rate_limit_delay": 5}, "maximum_rate_limit_delay", 5),
        ({"lock_duration": timedelta(minutes=1)}, "lock_duration", 60_000),
        ({"lock_duration": 1000}, "lock_renew_time", 500),
        ({"lock_duration": 1000, "lock_renew_time": 0}, "lock_renew_time", 500),
        ({"lock_renew_time": -1}, "lock_renew_time", -1),
        ({"lock_renew_time": timedelta(seconds=1)}, "lock_renew_time", 1000),
        ({"skip_lock_renewal": True}, "skip_lock_renewal", True),
        ({"stalled_interval": timedelta(seconds=1)}, "stalled_interval", 1000),
        ({"max_stalled_count": 0}, "max_stalled_count", 0),
        ({"skip_stalled_check": True}, "skip_stalled_check", True),
        ({"timeout": 1500}, "timeout", 1500),
        ({"max_started_attempts": 0}, "max_started_attempts", 0),
        ({"max_started_attempts": None}, "max_started_attempts", None),
        ({"drain_delay": 0.5}, "drain_delay", 0.5),
        ({"drain_delay": timedelta(minutes=1)}, "drain_delay", 60),
        ({"remove_on_complete": True}, "remove_on_complete", KeepJobs(count=0)),
        ({"remove_on_complete": 5}, "remove_on_complete", KeepJobs(count=5)),
        ({"remove_on_fail": {"age": 5}}, "remove_on_fail", KeepJobs(age=5)),
        ({"remove_on_fail": False}, "remove_on_fail", KeepJobs(count=-1)),
        ({"metrics": {"max_data_points": 60}}, "metrics", Metrics(60)),
        ({"name": "w1"}, "name", "w1"),
        ({"backoff_strategy": strategy}, "backoff_strategy", strategy),
        ({"settings": {"backoff_strategy": strategy}}, "backoff_strategy", strategy),
        ({"run_retry_delay": timedelta(seconds=1)}, "run_retry_delay", 1000),
    ],
    ids=stable,
)
def test_an_option_comes_to_a_setting(given, attribute, expected):
    assert getattr(parse_worker_options(given, where=WHERE), attribute) == expected


def test_a_mapping_written_for_bullmq_works_unchanged():
    settings = parse_worker_options(
        {
            "concurrency": 5,
            "lockDuration": 1000,
            "removeOnComplete": {"count": 3},
            "settings": {"backoffStrategy": strategy},
            "metrics": {"maxDataPoints": 60},
            "useWorkerThreads": True,
            "skipVersionCheck": True,
        },
        where=WHERE,
    )

    assert settings == WorkerSettings(
        concurrency=5,
        lock_duration=1000,
        lock_renew_time=500,
        remove_on_complete=KeepJobs(count=3),
        metrics=Metrics(60),
        backoff_strategy=strategy,
    )


@pytest.mark.parametrize(
    ("name", "values", "rule"),
    [
        (
            "max_stalled_count",
            (-1, None, "1", math.nan, True, 0.5),
            "maxStalledCount must be greater or equal than 0",
        ),
        (
            "max_started_attempts",
            (-1, "1", math.inf, 1.5),
            "maxStartedAttempts must be greater or equal than 0",
        ),
        (
            "stalled_interval",
            (0, -5, None, "5", 0.5, timedelta()),
            "stalledInterval must be greater than 0",
        ),
        ("drain_delay", (0, -5, None, "5", math.nan), "drainDelay must be greater than 0"),
        (
            "concurrency",
            (0, -1, 0.5, 1.5, None, "5", math.nan, math.inf, True),
            "concurrency must be a finite number greater than 0",
        ),
        ("lock_duration", (0, -5, "5", 0.5), "lockDuration must be greater than 0"),
        ("maximum_rate_limit_delay", (0, "5"), "maximumRateLimitDelay must be greater than 0"),
    ],
)
def test_a_number_out_of_bounds_is_refused_in_bullmqs_words(name, values, rule):
    for value in values:
        said = refusal({name: value})

        assert said.startswith(rule)
        assert f"option {name} is {value!r}" in said
        assert said.endswith(f"({WHERE})")


def test_bullmqs_spelling_is_checked_alike():
    said = refusal({"maxStalledCount": None})

    assert said.startswith("maxStalledCount must be greater or equal than 0")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limiter": {"max": 5}}, "Option limiter needs max and duration"),
        ({"limiter": {}}, "Option limiter needs max and duration"),
        ({"limiter": {"max": None, "duration": 5}}, "Option limiter needs max and duration"),
        ({"limiter": {"max": -1, "duration": 5}}, "Option limiter.max must be at least 0"),
        ({"limiter": 5}, "Option limiter must be a mapping of options, not 5"),
        ({"metrics": {}}, "Option metrics needs max_data_points"),
        ({"metrics": {"max_data_points": 0}}, "Option metrics.max_data_points must be at least 1"),
        ({"backoff_strategy": 5}, "Option backoff_strategy must be a function"),
        ({"settings": {"backoff_strategy": 5}}, "Option settings.backoff_strategy must be a func"),
        ({"name": 5}, "Option name must be a string"),
        ({"autorun": 1}, "Option autorun must be True or False"),
        ({"remove_on_fail": "yes"}, "Option remove_on_fail must be True, False, a number or"),
        ({"run_retry_delay": -1}, "Option run_retry_delay must be at least 0"),
        ({"concurency": 5}, "Unknown option concurency, did you mean concurrency?"),
        ({"connection": "redis://"}, "Option connection is an argument of its own"),
        ({"prefix": "x"}, "Option prefix is an argument of its own"),
        ([], "Worker options must be a mapping of options, not []"),
    ],
    ids=stable,
)
def test_what_is_wrong_is_refused_with_option_and_queue(options, message):
    said = refusal(options)

    assert said.startswith(message)
    assert said.endswith(f"({WHERE})")


def test_all_that_is_wrong_is_told_at_once():
    said = refusal({"concurrency": 0, "drain_delay": 0, "limiter": {}, "nmae": "w"})

    assert said.count(";") == 3
