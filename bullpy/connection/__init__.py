"""The way to Redis: the only room that sends anything.

`Client` carries calls over one pipelined connection per server and event loop; its
`BlockingClient`s wait inside the server on sockets of their own. Which calls there are is the
business of `bullpy.scripts`.
"""

from bullpy.connection.blocking import BlockingClient, Interrupted
from bullpy.connection.client import Client
from bullpy.connection.settings import ConnectionLike, Settings, parse_connection

__all__ = [
    "BlockingClient",
    "Client",
    "ConnectionLike",
    "Interrupted",
    "Settings",
    "parse_connection",
]
