"""Options: loose at the edge, strict inside.

Each class of the public face has a `TypedDict` for those who type it, and a frozen dataclass for
the rest of bullpy; `parse` is the only code that knows both.
"""

from bullpy.options.flow import FlowNode, NodeSettings, parse_flow_node
from bullpy.options.job import (
    BackoffOptions,
    DeduplicationOptions,
    JobOptions,
    ParentOptions,
    TelemetryOptions,
)
from bullpy.options.job_parse import check_priority, parse_job_options
from bullpy.options.job_settings import (
    PLAIN,
    Backoff,
    Deduplication,
    JobSettings,
    ParentRef,
    settings_of,
)
from bullpy.options.parse import milliseconds, moment
from bullpy.options.queue import (
    ABSENT,
    Absent,
    BulkEntry,
    EventStreamOptions,
    NewJobEntry,
    QueueOptions,
    QueueSettings,
    StreamsOptions,
    check_name,
    check_size,
    parse_bulk_entry,
    parse_queue_options,
)
from bullpy.options.retention import KeepJobs, KeepJobsOptions
from bullpy.options.scheduler import (
    JobTemplate,
    RepeatOptions,
    RepeatSettings,
    TemplateSettings,
    parse_job_template,
    parse_repeat_options,
)
from bullpy.options.state import finished_state, state_name
from bullpy.options.worker import (
    Limiter,
    LimiterOptions,
    Metrics,
    MetricsOptions,
    StrategyOptions,
    WorkerOptions,
    WorkerSettings,
    parse_worker_options,
)

__all__ = [
    "ABSENT",
    "PLAIN",
    "Absent",
    "Backoff",
    "BackoffOptions",
    "BulkEntry",
    "Deduplication",
    "DeduplicationOptions",
    "EventStreamOptions",
    "FlowNode",
    "JobOptions",
    "JobSettings",
    "JobTemplate",
    "KeepJobs",
    "KeepJobsOptions",
    "Limiter",
    "LimiterOptions",
    "Metrics",
    "MetricsOptions",
    "NewJobEntry",
    "NodeSettings",
    "ParentOptions",
    "ParentRef",
    "QueueOptions",
    "QueueSettings",
    "RepeatOptions",
    "RepeatSettings",
    "StrategyOptions",
    "StreamsOptions",
    "TelemetryOptions",
    "TemplateSettings",
    "WorkerOptions",
    "WorkerSettings",
    "check_name",
    "check_priority",
    "check_size",
    "finished_state",
    "milliseconds",
    "moment",
    "parse_bulk_entry",
    "parse_flow_node",
    "parse_job_options",
    "parse_job_template",
    "parse_queue_options",
    "parse_repeat_options",
    "parse_worker_options",
    "settings_of",
    "state_name",
]
