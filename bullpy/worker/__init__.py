"""Workers: take jobs from a queue, run them, store what came of it.

`Worker` holds options, lifecycle and hooks; the work is done by `fetcher`, `runner`, `doorbell`,
`locks` and `stalled`.
"""

from bullpy.worker.worker import Worker

__all__ = ["Worker"]
