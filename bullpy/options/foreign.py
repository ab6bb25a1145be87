"""Options of BullMQ that are none here, so that a mapping written for it works or says why not."""

from typing import Final

from bullpy.options.parse import anything

NODE_ONLY: Final = dict.fromkeys(  # read and forgotten: they steer Node's own driver and sandboxes
    (
        "skipVersionCheck",
        "skipWaitingForReady",
        "blockingConnection",
        "useWorkerThreads",
        "workerForkOptions",
        "workerThreadsOptions",
    ),
    anything,
)
ELSEWHERE: Final = {
    name: f"Option {name} is an argument of its own: {name}=..., beside opts"
    for name in ("connection", "prefix")
}
