"""Unabridged keeps every word of a coding agent's conversations and gives any exact passage back."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unabridged.api.archive import Archive
    from unabridged.api.window import Window
    from unabridged.api.wrapping import wrap

__version__ = "0.1.0"
__all__ = ["Archive", "Window", "__version__", "wrap"]

_HOMES = {"Archive": "archive", "Window": "window", "wrap": "wrapping"}


def __getattr__(name: str) -> object:
    """Import what a program asks for: every start of a command imports this package."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - only a program that uses the API pays for it

    found = getattr(importlib.import_module(f"unabridged.api.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
