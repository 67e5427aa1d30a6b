"""The one error tree: every failure that crosses a layer.

Each class has a stable `code` (what machines compare), an `exit_code` (what the command line returns), `retryable`
(whether the same call may succeed later unchanged) and a `hint` (what a person can do). The docstring is the message's
first sentence; `details` are plain JSON values that name the field, the limit or the size, never secret content.

UnabridgedError
├── InvalidInput
│   ├── LimitExceeded
│   ├── InvalidPattern
│   ├── InvalidCursor
│   ├── UnknownSetting
│   └── InvalidSetting
├── NotFound
│   ├── PathNotFound
│   ├── NoTranscripts
│   └── SessionNotFound
│       └── AmbiguousName
├── Refused
│   ├── OutOfScope
│   ├── UnsafePath
│   ├── WouldOverwrite
│   ├── NotRestorable
│   ├── ReadOnly
│   └── UnsupportedFilesystem
├── Unreadable
│   ├── PathUnreadable
│   ├── NotATranscript
│   ├── DamagedExport
│   ├── EncryptedExport
│   ├── UnsafeExport
│   ├── TranscriptChanged
│   ├── ReaderDied
│   └── HostFileUnclear
├── Incomplete
├── StoreError
│   ├── StoreLocked
│   ├── StoreTooNew
│   ├── StoreMissing
│   ├── StoreClosed
│   ├── StoreFailed
│   ├── Corrupt
│   ├── Conflict
│   ├── Unsupported
│   ├── DiskLow
│   ├── DiskFull
│   └── TransientStoreError
├── IndexError_
│   ├── IndexCorrupt
│   ├── IndexTooNew
│   └── IndexBusy
├── ModelError
│   ├── ModelMissing
│   ├── ModelDamaged
│   └── ModelUnavailable
└── ServiceError
    ├── DaemonUnavailable
    ├── DaemonIncompatible
    ├── ProtocolError
    ├── FrameTooLarge
    ├── TooManyConnections
    ├── Overloaded
    ├── DeadlineExceeded
    ├── Cancelled
    ├── UnknownOperation
    ├── ArchiveClosed
    └── InternalError
"""

from __future__ import annotations

# Every client start imports this module; `typing` costs more than all the rest of it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class UnabridgedError(Exception):
    """Something failed."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    hint: ClassVar[str] = ""

    def __init__(self, message: str = "", *, hint: str | None = None, **details: Any) -> None:
        """Set the message (default: the class's first docstring line), a hint of its own, and plain JSON details."""
        first = (type(self).__doc__ or "").strip().split("\n", 1)[0]
        super().__init__(message or first)
        self.message = message or first
        self.details: dict[str, Any] = details
        self.advice = hint if hint is not None else type(self).hint

    def to_dict(self) -> dict[str, Any]:
        """Return the error as plain JSON values: code, message, hint, retryable, exit_code, details."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.advice,
            "retryable": self.retryable,
            "exit_code": self.exit_code,
            "details": self.details,
        }


# --- the caller's input -------------------------------------------------------------------------------------------


class InvalidInput(UnabridgedError):
    """The request is not valid."""

    code = "invalid-input"
    exit_code = 2
    hint = "See the command's --help for what it takes."


class LimitExceeded(InvalidInput):
    """A value is larger than its limit."""

    code = "limit-exceeded"
    hint = "Split the input, or lower the requested size."


class InvalidPattern(InvalidInput):
    """A regular expression is not valid, or is not linear-time."""

    code = "invalid-pattern"
    hint = "Patterns use RE2 syntax: no back-references, no look-around."


class InvalidCursor(InvalidInput):
    """The cursor is not one that this archive gave out."""

    code = "invalid-cursor"
    hint = "Start again without a cursor."


class UnknownSetting(InvalidInput):
    """There is no setting of that name."""

    code = "unknown-setting"
    hint = "`una config show` lists every setting."


class InvalidSetting(InvalidInput):
    """A setting has a value that it cannot take."""

    code = "invalid-setting"
    hint = "`una config show --origin` tells where each value comes from."


# --- what is not there --------------------------------------------------------------------------------------------


class NotFound(UnabridgedError):
    """Nothing has that name."""

    code = "not-found"
    exit_code = 4


class PathNotFound(NotFound):
    """The path does not exist."""

    code = "path-not-found"
    hint = "Check the spelling; a relative path is taken from the current folder."


class NoTranscripts(NotFound):
    """No transcript was found there."""

    code = "no-transcripts"
    hint = "`una import --dry-run` shows where transcripts are looked for."


class SessionNotFound(NotFound):
    """No archived session has that name."""

    code = "session-not-found"
    hint = "`una sessions` lists them; eight or more characters of an id suffice."


class AmbiguousName(SessionNotFound):
    """More than one session begins with that."""

    code = "ambiguous-name"
    hint = "Give more characters of the id."


# --- what is not allowed ------------------------------------------------------------------------------------------


class Refused(UnabridgedError):
    """The request was understood, but is not allowed."""

    code = "refused"
    exit_code = 5


class OutOfScope(Refused):
    """That is outside what this caller may see."""

    code = "out-of-scope"
    hint = "The read scope is set by `read.scope` in the user's own configuration file."


class UnsafePath(Refused):
    """A file or folder could be changed by another user."""

    code = "unsafe-path"
    hint = "Folders must belong to you, with mode 0700, and not be symbolic links."


class WouldOverwrite(Refused):
    """The target exists."""

    code = "would-overwrite"
    hint = "Choose another path, or pass --force (in Python: overwrite=True)."


class NotRestorable(Refused):
    """What was read of this host cannot be written back as its file."""

    code = "not-restorable"
    hint = "`una export` writes the session as Markdown, HTML or JSON lines."


class ReadOnly(Refused):
    """The store cannot be written."""

    code = "read-only"
    hint = "Check the folder's permissions and whether the disk is mounted read-only."


class UnsupportedFilesystem(Refused):
    """The store's folder is on a file system that cannot keep it safely."""

    code = "unsupported-filesystem"
    hint = "Set UNABRIDGED_HOME to a folder on a local disk."


# --- transcripts --------------------------------------------------------------------------------------------------


class Unreadable(UnabridgedError):
    """Some input could not be read."""

    code = "unreadable"
    exit_code = 3


class PathUnreadable(Unreadable):
    """The path cannot be opened."""

    code = "path-unreadable"
    hint = "Check the path and its permissions."


class NotATranscript(Unreadable):
    """The file is not a transcript of a known host."""

    code = "not-a-transcript"
    hint = "It does not begin as the files of a host do that is known; docs/guides/import.md lists them."


class DamagedExport(Unreadable):
    """The export is cut off or damaged; nothing of it was read."""

    code = "damaged-export"
    hint = "Download it again, then import it again."


class EncryptedExport(Unreadable):
    """The export is encrypted."""

    code = "encrypted-export"
    hint = "Unpack it with its password, then import the folder."


class UnsafeExport(Unreadable):
    """The archive is not made as an export is; nothing of it was read."""

    code = "unsafe-export"
    hint = "Unpack it with a program that you trust, then import the folder."


class TranscriptChanged(Unreadable):
    """The transcript changed while it was read."""

    code = "transcript-changed"
    retryable = True
    hint = "Import again; what was read before stays archived."


class ReaderDied(Unreadable):
    """The process that read the transcript ended twice."""

    code = "reader-died"
    retryable = True
    hint = "Import again with less else running; `una daemon logs` says how it ended."


class HostFileUnclear(Unreadable):
    """A file of a coding agent is not as that agent writes it, and was left alone."""

    code = "host-file-unclear"
    hint = "Mend the file, or move it away; then run the command again."


class Incomplete(UnabridgedError):
    """Some of the original is no longer in the archive."""

    code = "incomplete"
    exit_code = 6
    hint = "--allow-gaps (in Python: allow_gaps=True) writes what is left."


# --- the store ----------------------------------------------------------------------------------------------------


class StoreError(UnabridgedError):
    """The store failed."""

    code = "store-error"
    exit_code = 7


class StoreLocked(StoreError):
    """Another process owns the store."""

    code = "store-locked"
    retryable = True
    hint = "`una daemon status` shows the owner."


class StoreTooNew(StoreError):
    """The store was made by a newer version."""

    code = "store-too-new"
    hint = "Upgrade unabridged; nothing was changed."


class StoreMissing(StoreError):
    """There is no store at that place."""

    code = "store-missing"
    hint = "`una import` makes one."


class StoreClosed(StoreError):
    """The store is closed."""

    code = "store-closed"
    retryable = True


class StoreFailed(StoreError):
    """A write could not be made durable, so the store stopped."""

    code = "store-failed"
    hint = "Restart the daemon; nothing that was acknowledged is lost."


class Corrupt(StoreError):
    """Stored bytes differ from what was written."""

    code = "corrupt"
    hint = "`una verify` lists every damaged record; restore it from a backup."


class Conflict(StoreError):
    """Another write came first, or the same request id was used with other content."""

    code = "conflict"
    hint = "Read the current state, then try again."


class Unsupported(StoreError):
    """This storage engine cannot do that."""

    code = "unsupported"


class DiskLow(StoreError):
    """Too little free disk space to admit more."""

    code = "disk-low"
    retryable = True
    hint = "Free some space; reading and searching go on."


class DiskFull(StoreError):
    """The disk is full."""

    code = "disk-full"
    retryable = True
    hint = "Free some space; nothing was written and nothing acknowledged is lost."


class TransientStoreError(StoreError):
    """The store could not answer just now."""

    code = "store-transient"
    retryable = True


# --- the index ----------------------------------------------------------------------------------------------------


class IndexError_(UnabridgedError):  # noqa: N801 - the builtin's name is taken
    """The search index failed."""

    code = "index-error"
    exit_code = 8
    hint = "`una index rebuild` makes it anew from the archive."


class IndexCorrupt(IndexError_):
    """The search index is damaged."""

    code = "index-corrupt"


class IndexTooNew(IndexError_):
    """The search index was made by a newer version."""

    code = "index-too-new"


class IndexBusy(IndexError_):
    """Another process writes the search index."""

    code = "index-busy"
    retryable = True


# --- models -------------------------------------------------------------------------------------------------------


class ModelError(UnabridgedError):
    """A model cannot be used."""

    code = "model-error"
    exit_code = 10
    hint = "`una models list`; searches go on without it."


class ModelMissing(ModelError):
    """There is no such model."""

    code = "model-missing"
    hint = "`una models install` installs one."


class ModelDamaged(ModelError):
    """A model's files are not what they should be."""

    code = "model-damaged"
    hint = "`una models install` installs it anew."


class ModelUnavailable(ModelError):
    """A model cannot be reached."""

    code = "model-unavailable"
    retryable = True
    hint = "Check the connection and `una config show`; searches go on without it."


# --- the daemon ---------------------------------------------------------------------------------------------------


class ServiceError(UnabridgedError):
    """The daemon could not answer."""

    code = "service-error"
    exit_code = 9


class DaemonUnavailable(ServiceError):
    """The daemon does not answer."""

    code = "daemon-unavailable"
    retryable = True
    hint = "`una daemon logs` shows why; `una doctor --fix` repairs common causes."


class DaemonIncompatible(ServiceError):
    """The daemon lacks a capability that this client needs."""

    code = "daemon-incompatible"
    hint = "`una daemon restart` replaces it."


class ProtocolError(ServiceError):
    """A message does not follow the protocol."""

    code = "protocol-error"


class FrameTooLarge(ServiceError):
    """A message is larger than a frame may be."""

    code = "frame-too-large"
    hint = "Ask for less at once; a frame holds at most 16 MiB."


class TooManyConnections(ServiceError):
    """The daemon has as many connections as it allows."""

    code = "too-many-connections"
    retryable = True
    hint = "Raise daemon.connections, or close some clients."


class Overloaded(ServiceError):
    """The daemon has as much work as it accepts."""

    code = "overloaded"
    retryable = True


class DeadlineExceeded(ServiceError):
    """The answer took longer than the caller allowed."""

    code = "deadline-exceeded"
    hint = "Try it again, allow more time, or ask for less."
    retryable = True


class Cancelled(ServiceError):
    """The caller cancelled the request."""

    code = "cancelled"
    exit_code = 130


class UnknownOperation(ServiceError):
    """There is no operation of that name."""

    code = "unknown-operation"
    hint = "The daemon may be older than the client: `una daemon restart`."


class ArchiveClosed(ServiceError):
    """The archive was closed by the program that opened it."""

    code = "archive-closed"
    hint = "Open it again; `with Archive() as archive:` closes it at the end of the block."


class InternalError(ServiceError):
    """A fault in unabridged itself."""

    code = "internal-error"
    hint = "`una daemon logs` has the trace; please report it."


def _tree(root: type[UnabridgedError]) -> dict[str, type[UnabridgedError]]:
    found = {root.code: root}
    for child in root.__subclasses__():
        found.update(_tree(child))
    return found


def by_code() -> dict[str, type[UnabridgedError]]:
    """Return every error class by its code."""
    return _tree(UnabridgedError)


def from_dict(data: dict[str, Any]) -> UnabridgedError:
    """Build the error that `to_dict` described; an unknown code becomes a `ServiceError` that keeps the message."""
    cls = by_code().get(str(data.get("code")), ServiceError)
    return cls(
        str(data.get("message", "")), hint=str(data.get("hint", "")), **dict(data.get("details") or {})
    )
