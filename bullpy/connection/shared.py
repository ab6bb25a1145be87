"""One pipeline per server and event loop, shared by all clients that want the same.

A process that forks starts afresh: a child must not speak on its parent's sockets, and must not
close them either, so entries of another process are left alone.
"""

import asyncio
import os
import threading

from bullpy.connection.pipeline import OnError, Pipeline
from bullpy.connection.settings import Settings

_pipelines: dict[tuple[int, asyncio.AbstractEventLoop, Settings], Pipeline] = {}
_guard = threading.Lock()  # event loops of several threads meet here


def join(settings: Settings, user: object, on_error: OnError | None) -> Pipeline:
    """The running loop's pipeline to a server; the user counts until it leaves."""
    key = (os.getpid(), asyncio.get_running_loop(), settings)
    with _guard:
        _forget_closed_loops()
        if key not in _pipelines:
            _pipelines[key] = Pipeline(settings)
        pipeline = _pipelines[key]
        pipeline.users[user] = on_error
    return pipeline


async def leave(pipeline: Pipeline, user: object) -> None:
    """Stop using a pipeline of the running loop; the last one to leave closes it."""
    key = (os.getpid(), asyncio.get_running_loop(), pipeline.settings)
    with _guard:
        pipeline.users.pop(user, None)
        if pipeline.users:
            return
        if _pipelines.get(key) is pipeline:
            del _pipelines[key]
    await pipeline.close()


def _forget_closed_loops() -> None:
    pid = os.getpid()
    for key in [key for key in _pipelines if key[0] == pid and key[1].is_closed()]:
        del _pipelines[key]
