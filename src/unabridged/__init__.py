"""Unabridged keeps every word of a coding agent's conversations and gives any exact passage back."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unabridged.api.archive import Archive

__version__ = "0.1.0"
__all__ = ["Archive", "__version__"]


def __getattr__(name: str) -> object:
    """Import `Archive` when somebody asks for it: every start of a command imports this package."""
    if name != "Archive":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - only a program that uses the API pays for it

    found = importlib.import_module("unabridged.api.archive").Archive
    globals()[name] = found
    return found
