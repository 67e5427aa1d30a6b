"""What is used of the module in C behind `signal`."""

from collections.abc import Callable
from types import FrameType

Handler = Callable[[int, FrameType | None], object] | int | None

SIGINT: int
SIG_DFL: int


def default_int_handler(signalnum: int, frame: FrameType | None, /) -> object: ...
def getsignal(signalnum: int, /) -> Handler: ...
def signal(signalnum: int, handler: Handler, /) -> Handler: ...
