"""Threads for plain functions: as many as run at once, and none keeps the program from ending.

The standard pool is bounded once and for all, though a worker's concurrency may be raised, and
the interpreter waits for its threads: one function that never returns would hold the process for
ever, also after a forced close.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from itertools import count
from queue import SimpleQueue
from typing import Any, TypeAlias

_Task: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class Threads(Executor):
    """Runs functions on daemon threads, which are used again.

    Args:
        name: What the threads' names begin with.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers = count(1)
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0
        self._closed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function on a thread of its own. Called by the event loop's thread only.

        Raises:
            RuntimeError: The threads were shut down.
        """
        if self._closed:
            raise RuntimeError(f"the threads {self._name} were shut down")
        future: Future[Any] = Future()
        self._tasks.put((future, lambda: fn(*args, **kwargs)))
        if not self._idle.acquire(blocking=False):
            self._started += 1
            name = f"{self._name}-{next(self._numbers)}"
            threading.Thread(target=self._serve, name=name, daemon=True).start()
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - Executor's shape; each task has its thread, so none is left to cancel
        """Let each thread end with what it is doing; nobody waits for that."""
        if not self._closed:
            self._closed = True
            for _ in range(self._started):
                self._tasks.put(None)

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            _carry_out(*task)
            del task  # an idle thread keeps nobody's data alive
            self._idle.release()


def _carry_out(future: "Future[Any]", call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - the one who waits gets it, whatever it is
        future.set_exception(error)
    else:
        future.set_result(result)
