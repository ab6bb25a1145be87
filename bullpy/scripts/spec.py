"""What one message to the server is: a script call or a plain command, and how to read its reply.

Pure values. Sending them is the business of `bullpy.connection`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from bullpy.keys import QueueKeys
from bullpy.scripts.loader import ComposedScript, compose
from bullpy.types import RedisReply

T = TypeVar("T")

Arg: TypeAlias = str | bytes | int | float
"""One argument on the wire; numbers go out as their shortest decimal text."""


@dataclass(frozen=True, slots=True)
class Command(Generic[T]):
    """A plain Redis command.

    Attributes:
        args: The command's words, such as `("HGETALL", key)`.
        decode: Turns the raw reply into the answer.
        repeatable: Sending it twice does what sending it once does, so a call whose reply was
            lost may simply be sent again.
    """

    args: tuple[Arg, ...]
    decode: Callable[[RedisReply], T]
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class ScriptCall(Generic[T]):
    """One call of a script.

    Attributes:
        script: Which script.
        keys: Its KEYS, in the order of its header.
        args: Its ARGV, in the order of its header, a batch's items behind them.
        decode: Turns the raw reply into the answer, or raises a `ScriptError`.
        repeatable: As in `Command`.
    """

    script: "Script"
    keys: tuple[str, ...]
    args: tuple[Arg, ...]
    decode: Callable[[RedisReply], T]
    repeatable: bool = False


Call: TypeAlias = Command[T] | ScriptCall[T]


@dataclass(eq=False, slots=True)
class Script:
    """A Lua script, its contract read from its header.

    Args:
        name: File name in `lua_scripts/commands`, without `.lua`.
    """

    name: str
    _composed: ComposedScript | None = field(default=None, init=False, repr=False)

    @property
    def composed(self) -> ComposedScript:
        """Text, hash and header; composed at first use."""
        if self._composed is None:
            self._composed = compose(self.name)
        return self._composed

    def call(
        self,
        queue: QueueKeys,
        *,
        args: Mapping[str, Arg],
        decode: Callable[[RedisReply], T],
        keys: Mapping[str, str] | None = None,
        more_keys: Sequence[str] = (),
        batch: Sequence[Arg] = (),
        repeatable: bool = False,
    ) -> ScriptCall[T]:
        """Put keys and arguments into the order of the script's header.

        Args:
            queue: Keys named in the header are this object's attributes of the same name ...
            keys: ... unless they stand here.
            more_keys: Keys behind the named ones, for scripts with a `@keys` line.
            args: Every `@arg` of the header by name, no more and no less.
            decode: See `ScriptCall`.
            batch: Items of a batch, flat, each with the fields of the `@item` lines.
            repeatable: See `Command`.

        Raises:
            TypeError: A key or argument is missing or unknown, or the batch is uneven. A bug.
        """
        header = self.composed.header
        given = keys or {}
        try:
            ordered_keys = tuple(
                given[name] if name in given else getattr(queue, name) for name in header.keys
            )
            ordered_args = tuple(args[name] for name in header.args)
        except (KeyError, AttributeError) as error:
            raise TypeError(f"Script {self.name}: {error} is missing") from error
        if len(ordered_args) != len(args) or any(name not in header.keys for name in given):
            raise TypeError(f"Script {self.name} takes keys {header.keys}, arguments {header.args}")
        if batch and (not header.item or len(batch) % len(header.item)):
            raise TypeError(f"Script {self.name}: each item of a batch has fields {header.item}")
        return ScriptCall(
            self, (*ordered_keys, *more_keys), (*ordered_args, *batch), decode, repeatable
        )


SCRIPTS: dict[str, Script] = {}
"""Every script that has a Python function, by name."""


def script(name: str) -> Script:
    """Declare that a module speaks for the script `name`."""
    return SCRIPTS.setdefault(name, Script(name))
