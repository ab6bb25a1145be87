"""A Node process with BullMQ in it, kept for a whole test module, told what to do line by line.

`node/driver.mjs` says what goes over the pipes. A thread reads the answers, since the process
outlives the event loops of single tests.
"""

import asyncio
import json
import subprocess
import threading
from concurrent.futures import Future
from itertools import count
from typing import Any

from tests.fixtures.node import NodeBullmq
from tests.interop.notes import PATIENCE_S, Notes

END_S = 5.0  # a driver whose stdin is closed ends at once


class NodeError(Exception):
    """What Node raised.

    Attributes:
        name: The error's class there.
        code: BullMQ's error code, if it has one.
    """

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error.get("message"))
        self.name = error.get("name")
        self.code = error.get("code")


class Driver:
    """The process.

    Args:
        node: Where BullMQ is.
        port: The server's loopback port.
    """

    def __init__(self, node: NodeBullmq, port: int) -> None:
        self._process = subprocess.Popen(
            [node.program, node.folder / "driver.mjs", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C reaches pytest alone, which then ends the driver
        )
        self._numbers = count()
        self._answers: dict[int, Future[Any]] = {}
        self._listeners: dict[str, tuple[asyncio.AbstractEventLoop, Notes]] = {}
        self._reader = threading.Thread(target=self._read, name="node driver", daemon=True)
        self._reader.start()

    async def call(self, op: str, **arguments: Any) -> Any:
        """Do one thing in Node.

        Raises:
            NodeError: Node raised.
        """
        number = next(self._numbers)
        answer: Future[Any] = Future()
        self._answers[number] = answer
        line = json.dumps({"call": number, "op": op, **arguments})
        if self._process.stdin is None:
            raise RuntimeError("the driver has no stdin")
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        async with asyncio.timeout(PATIENCE_S):
            return await asyncio.wrap_future(answer)

    def listen(self, label: str) -> Notes:
        """Everything that a worker or reader called `label` will tell."""
        notes = Notes()
        self._listeners[label] = (asyncio.get_running_loop(), notes)
        return notes

    async def reset(self) -> None:
        """Close all that a test left open."""
        await self.call("reset")
        self._listeners.clear()

    def end(self) -> None:
        """End the process."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            said = json.loads(line)
            if "note" in said:
                self._pass_on(said)
            else:
                self._settle(self._answers.pop(said["call"]), said)
        for answer in self._answers.values():
            answer.set_exception(RuntimeError("the Node driver has died; its stderr tells why"))

    def _pass_on(self, said: dict[str, Any]) -> None:
        event, label = said.pop("note"), said.pop("of", None)
        if label in self._listeners:
            loop, notes = self._listeners[label]
            fields = said.get("fields", said)
            loop.call_soon_threadsafe(lambda: notes.add(event, **fields))

    @staticmethod
    def _settle(answer: "Future[Any]", said: dict[str, Any]) -> None:
        if answer.cancelled():
            return
        if "error" in said:
            answer.set_exception(NodeError(said["error"]))
        else:
            answer.set_result(said["result"])
