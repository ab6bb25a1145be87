"""Tools for users' tests: a Redis inside the process.

For speed and for machines without a server. What must be certain is tested on a real server.
"""

from typing import TYPE_CHECKING, Any, cast

import msgpack

if TYPE_CHECKING:
    from fakeredis import FakeAsyncRedis

__all__ = ["fake_redis"]


def fake_redis(**options: Any) -> "FakeAsyncRedis":
    """An empty in-process Redis that can run bullpy's scripts; hand it over as `connection`.

    fakeredis lacks `cmsgpack`, the Lua library in which our scripts receive what has a shape of
    its own, so its Lua is given one.

    Args:
        **options: Further arguments of `fakeredis.FakeAsyncRedis`, such as `decode_responses`.

    Raises:
        ImportError: fakeredis is not installed.
    """
    try:
        from fakeredis import FakeAsyncRedis, FakeServer  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise ImportError('fake_redis needs fakeredis: pip install "bullpy[testing]"') from error

    class Server(FakeServer):
        """Gives its Lua a `cmsgpack`.

        fakeredis makes the Lua state at the first script and keeps it in `_lua_runtime`; what is
        global at that moment scripts may use.
        """

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == "_lua_runtime":
                value.globals()[b"cmsgpack"] = _cmsgpack(value)

    return FakeAsyncRedis(server=Server(**_server_options(options)), **options)


def _server_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of `options` what fakeredis wants to hear where the server is made."""
    return {name: options.pop(name) for name in ("version", "server_type") if name in options}


def _cmsgpack(runtime: Any) -> Any:
    def pack(*values: Any) -> bytes:
        return b"".join(_packer.pack(_from_lua(value)) for value in values)

    def unpack(packed: bytes) -> Any:
        unpacker = msgpack.Unpacker(raw=True, strict_map_key=False)
        unpacker.feed(packed)
        return tuple(_to_lua(runtime, value) for value in unpacker)

    return runtime.table_from({b"pack": pack, b"unpack": unpack})


_packer = msgpack.Packer(use_bin_type=False)


def _to_lua(runtime: Any, value: Any) -> Any:
    match value:
        case list():
            items = cast("list[Any]", value)
            return runtime.table_from([_to_lua(runtime, item) for item in items])
        case dict():
            fields = cast("dict[Any, Any]", value)
            return runtime.table_from({k: _to_lua(runtime, v) for k, v in fields.items()})
        case _:
            return value


def _from_lua(value: Any) -> Any:
    """Lua's tables as Redis' own `cmsgpack` sees them: keys 1 to n make a list."""
    if hasattr(value, "items"):
        items = {_from_lua(key): _from_lua(item) for key, item in value.items()}
        numbers = range(1, len(items) + 1)
        return [items[n] for n in numbers] if all(n in items for n in numbers) else items
    if isinstance(value, float) and value.is_integer():
        return int(value)  # Lua 5.1 has doubles only
    return value
