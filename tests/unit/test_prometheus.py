import pytest

from bullpy import OptionError
from bullpy.reader.prometheus import exposition

COUNTS = {"active": 1, "waiting-children": 0}
TOTALS = {"completed": 10, "failed": 2}


def test_the_text_is_bullmqs_line_by_line():
    text = exposition("mail", COUNTS, TOTALS, {"env": "test", "shard": 5})

    assert text.split("\n") == [
        "# HELP bullmq_job_count Number of jobs in the queue by state",
        "# TYPE bullmq_job_count gauge",
        'bullmq_job_count{queue="mail", state="active", env="test", shard="5"} 1',
        'bullmq_job_count{queue="mail", state="waiting-children", env="test", shard="5"} 0',
        "# HELP bullmq_job_completed_total Total number of completed jobs",
        "# TYPE bullmq_job_completed_total counter",
        'bullmq_job_completed_total{queue="mail", env="test", shard="5"} 10',
        "# HELP bullmq_job_failed_total Total number of failed jobs",
        "# TYPE bullmq_job_failed_total counter",
        'bullmq_job_failed_total{queue="mail", env="test", shard="5"} 2',
    ]


def test_values_are_escaped_so_that_none_can_end_its_line():
    text = exposition('a"b\\c\nd', {"active": 0}, {}, {"who": '\\n"'})

    assert text.split("\n")[2:] == [
        r'bullmq_job_count{queue="a\"b\\c\nd", state="active", who="\\n\""} 0'
    ]


@pytest.mark.parametrize("label", ["", "1st", "a-b", "a b", "é", 'x="1"} 9\n', "queue", "state"])
def test_a_label_that_would_spoil_the_text_is_refused(label: str):
    with pytest.raises(OptionError, match=r"label of metrics \(queue mail\)"):
        exposition("mail", COUNTS, TOTALS, {label: "x"})
