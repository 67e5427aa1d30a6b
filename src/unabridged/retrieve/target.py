"""What a recall's target names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unabridged.errors import InvalidInput
from unabridged.retrieve import locator, wirenames
from unabridged.retrieve.context import Context
from unabridged.retrieve.locator import Place
from unabridged.schema.ids import EVENT_ID_BYTES, GLOBAL, Ordinal, ProjectId, session_id, source_hash
from unabridged.schema.records import ALIAS, DOCUMENT, EVENT, HOME, PATH, PROJECT, Event
from unabridged.schema.scope import Level, Scope

MAX_TARGET = 4_096  # characters
MAX_REVISIONS = 10_000
HEX = frozenset("0123456789abcdef")
WIRE = wirenames.ADDRESS  # begins the names that windows give out

MISSING, INVALID, EXPIRED, OUT_OF_SCOPE = "missing", "locator-invalid", "lease-expired", "out-of-scope"


@dataclass(frozen=True, slots=True)
class Target:
    """A resolved target, or the status that it failed with. `whole`: a document or event rather than a range.

    `event` is the one that the place names, where it names one.
    """

    status: str
    place: Place | None = None
    whole: bool = False
    event: Event | None = None


def find(context: Context, text: str) -> Target:
    """Resolve a locator, a handle, a document or event id, a name that a window gave out, or a source key within
    the caller's scope.

    Raises `InvalidInput` for text that has none of these forms.
    """
    text = text.strip()
    if not text or len(text) > MAX_TARGET:
        raise InvalidInput(
            "a target is a locator, a handle, an id or a source key", field="target", size=len(text)
        )
    if text.startswith(locator.PREFIX):
        return _locator(context, text)
    if wirenames.is_name(text):
        return _wire(context, text)
    if ":" in text:
        return _checked(context, _by_source(context, text), whole=True)
    if len(text) == EVENT_ID_BYTES * 2 and set(text) <= HEX:
        return _checked(context, _by_id(context, bytes.fromhex(text)), whole=True)
    if text.startswith(locator.HANDLE_PREFIX):
        return _checked(context, _by_handle(context, text), whole=False)
    raise InvalidInput(
        "that is not a locator, a handle, an id or a source key",
        field="target",
        hint="Copy a locator or handle from `una search`.",
    )


def _locator(context: Context, text: str) -> Target:
    place = context.locators.verify(text)
    if place is None:
        return Target(INVALID)
    if place.expires and place.expires < context.now:
        return Target(EXPIRED)
    granted = Scope(Level(place.level), place.project, place.session)
    if not granted.allows(place.project, place.session):
        return Target(INVALID)
    if place.name:
        found = _wire(context, place.name)
        return replace(found, place=place, whole=False) if found.place is not None else found
    return _checked(context, place, whole=False)


def _checked(context: Context, place: Place | None, *, whole: bool) -> Target:
    """Evaluate the caller's scope; what is outside it is told apart from what is missing only for a signed locator."""
    if place is None:
        return Target(MISSING)
    session, event = place.session, None
    if place.event:
        event = context.reader.get(EVENT, (place.project, place.event))
        if event is None:
            return Target(MISSING)
        session = event.session
    if not context.scope.allows(place.project, session):
        return Target(OUT_OF_SCOPE)
    return Target("", place, whole, event)


def _wire(context: Context, name: str) -> Target:
    """Return what a name means that a window gave out."""
    found = wirenames.find(context, name)
    if found.event is None or found.home is None:
        return Target(found.status)
    event, home = found.event, found.home
    return Target("", Place(home.home, event.ordinal, 0, event.size, session=home.session), True, event)


def _projects(context: Context) -> list[ProjectId]:
    if context.scope.level is Level.ALL:
        return [project.id for project in context.reader.scan(PROJECT, (GLOBAL,), limit=100_000)]
    return [context.scope.project, *sorted(context.scope.linked)]


def _by_id(context: Context, name: bytes) -> Place | None:
    for project in _projects(context):
        document = context.reader.lookup(DOCUMENT, "id", [(project, name)])[0]
        if document is not None:
            found = context.reader.get(DOCUMENT, document)
            if found is not None:
                return Place(project, Ordinal(0), 0, found.size, found.ordinal, found.version, found.session)
        event = context.reader.lookup(EVENT, "id", [(project, name)])[0]
        if event is not None:
            record = context.reader.get(EVENT, event)
            if record is not None:
                return Place(project, record.ordinal, 0, record.size, session=record.session)
    return None


def _by_handle(context: Context, text: str) -> Place | None:
    said = locator.parse_handle(text)
    for project in _projects(context):
        if project.startswith(said.project):
            event = context.reader.get(EVENT, (project, said.event))
            if event is not None and said.end <= event.size:
                return Place(project, said.event, said.start, said.end, session=event.session)
    return None


def _by_source(context: Context, text: str) -> Place | None:
    """Find `host:session:native`; without a revision the latest one is meant."""
    host, _, rest = text.partition(":")
    host_session, _, native = rest.rpartition(":")
    if not host_session or not native:
        return None
    home = context.reader.get(HOME, (GLOBAL, session_id(host, host_session)))
    if home is None:
        return None
    found = _path_event(context, home.home, text)
    if found is None:
        return _by_alias(context, home.home, text)
    if "~" not in native:
        for revision in range(2, MAX_REVISIONS):
            later = _path_event(context, home.home, f"{text}~{revision}")
            if later is None:
                break
            found = later
    return found


def _path_event(context: Context, project: ProjectId, key: str) -> Place | None:
    path = context.reader.lookup(PATH, "source", [(project, source_hash(key))])[0]
    step = context.reader.get(PATH, path) if path is not None else None
    return _event(context, project, step.event) if step is not None else None


def _by_alias(context: Context, project: ProjectId, key: str) -> Place | None:
    aliases = context.reader.scan(ALIAS, (project, source_hash(key)), limit=1)
    return _event(context, project, aliases[0].event) if aliases else None


def _event(context: Context, project: ProjectId, ordinal: Ordinal) -> Place | None:
    event = context.reader.get(EVENT, (project, ordinal))
    return Place(project, ordinal, 0, event.size, session=event.session) if event is not None else None
