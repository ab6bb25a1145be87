"""Each option is declared twice, for users and for the rest of bullpy; the two must agree."""

import dataclasses
import inspect

import pytest

from bullpy import options
from bullpy.options.flow import NODE_SCHEMA
from bullpy.options.foreign import NODE_ONLY
from bullpy.options.job_parse import JOB_SCHEMA
from bullpy.options.parse import snake
from bullpy.options.queue import ENTRY_SCHEMA, QUEUE_SCHEMA
from bullpy.options.worker import WORKER_SCHEMA

# Where a name differs: what a user types -> what the settings have.
RENAMED = {
    options.JobOptions: {"telemetry": {"telemetry_metadata", "omit_context"}},
    options.QueueOptions: {"streams": {"max_len_events"}},
    options.WorkerOptions: {"settings": {"backoff_strategy"}},
}
INNER = {"public", "stored", "unnamed"}  # not options, but what settings have besides

PAIRS = [
    (options.JobOptions, options.JobSettings),
    (options.BackoffOptions, options.Backoff),
    (options.DeduplicationOptions, options.Deduplication),
    (options.ParentOptions, options.ParentRef),
    (options.KeepJobsOptions, options.KeepJobs),
    (options.QueueOptions, options.QueueSettings),
    (options.WorkerOptions, options.WorkerSettings),
    (options.LimiterOptions, options.Limiter),
    (options.MetricsOptions, options.Metrics),
    (options.NewJobEntry, options.BulkEntry),
]
SCHEMAS = [
    (options.JobOptions, JOB_SCHEMA),
    (options.QueueOptions, QUEUE_SCHEMA),
    (options.WorkerOptions, WORKER_SCHEMA),
    (options.NewJobEntry, ENTRY_SCHEMA),
    (options.FlowNode, NODE_SCHEMA),
]
TYPED = [typed for typed, _ in PAIRS] + [options.FlowNode, options.TelemetryOptions]


@pytest.mark.parametrize(("typed", "settings"), PAIRS)
def test_what_users_type_and_what_it_comes_to_have_the_same_names(typed, settings):
    renamed = RENAMED.get(typed, {})
    expected = {new for name in typed.__annotations__ for new in renamed.get(name, {name})}

    assert {field.name for field in dataclasses.fields(settings)} - INNER == expected


@pytest.mark.parametrize(("typed", "schema"), SCHEMAS)
def test_what_users_type_is_what_is_read(typed, schema):
    assert schema.names - {snake(name) for name in NODE_ONLY} == set(typed.__annotations__)


@pytest.mark.parametrize("typed", TYPED)
def test_each_option_is_described(typed):
    lines = [line.strip() for line in inspect.getsource(typed).splitlines()]

    for name in typed.__annotations__:
        place = next(n for n, line in enumerate(lines) if line.startswith(f"{name}: "))
        assert lines[place + 1].startswith('"""'), f"{typed.__name__}.{name} has no description"


@pytest.mark.parametrize("settings", [settings for _, settings in PAIRS])
def test_settings_are_frozen(settings):
    assert settings.__dataclass_params__.frozen


@pytest.mark.parametrize("name", options.__all__)
def test_all_that_is_promised_is_there(name):
    assert hasattr(options, name)
