"""Which conversation a request goes on with, of all that this process knows.

A session of a host has one main conversation and others beside it: subagents, titles. Which one a request is of, its
items tell: the first thing that the user said in it, or what else of it came before. Where a client says no session,
it is the conversation whose items this one begins with; one that takes another way from there is a new one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from unabridged.gateway.identity import WITH_TOOLS, Beside, Who
from unabridged.schema.windows import address_of
from unabridged.window.execute import Live
from unabridged.window.identity import chain, conversation_id
from unabridged.window.messages import Conversation, Item, Kind, Role
from unabridged.window.providers.known import Known
from unabridged.window.providers.sidecalls import Aside, compacted
from unabridged.window.state import State

if TYPE_CHECKING:
    from unabridged.gateway.offered.rounds import Rounds

MOST = 512  # conversations that are remembered; the archive knows the others
MOST_BYTES = 48 << 20  # of all that is remembered of them, about; the one used last is kept whatever it has
KEY_BYTES = 128  # of a key in a set, with its place there
LEAST_KEYS = 4_096  # up to which no key of a conversation is let go that its last request had not
MOST_FIRSTS = 64  # names of a conversation's beginnings
MOST_NEWEST = 256 << 10  # characters of a newest message that is remembered
WIRE = "wire-"  # begins the name of a session that no client named
DIGITS = 20


class OpenConversation:
    """One conversation. `settled`: the archive has said what it knows of it, and that it is this one."""

    def __init__(self, host: str, session: str, own: str, known: Known) -> None:
        """Begin one that this process did not know; `own` is what tells it from the session's main one."""
        self.host, self.session, self.own = host, session, own
        self.cwd: str | None = None  # where the host says that it works; None until it was asked
        self.live = Live()
        self.live.known = known
        self.settled = False
        self.keeps_state = True
        self.fault = ""  # of what was remembered, until it was told
        self.settling: asyncio.Task[str] | None = None
        self.unoffered = False  # tools of ours failed here: they are not offered again
        self.rounds: Rounds | None = None  # what was asked with offered tools; None: not known yet
        self.filing = asyncio.Lock()  # one call to the archive at a time, in order
        self.begun = False  # whether a request of it was filed
        self.filed = set[asyncio.Task[str]]()  # what is being filed of it
        self.firsts = dict[str, None]()
        self.size = 0  # bytes of what is remembered, when it was last looked at
        self.line: tuple[str, ...] = ()
        # The provider's last answer, on which a request may build without the history, and the keys of all up to it.
        self.kept: tuple[str, tuple[str, ...]] = ("", ())
        self.newest = ""  # text of the last item of the line
        self.named(own)

    def named(self, own: str) -> None:
        """Take another name: what tells it from the session's main conversation."""
        self.own = own
        self.id = conversation_id(self.host, self.session, own)
        self.live.state = State(address=address_of(self.id))

    def before(self, previous: str) -> tuple[str, ...]:
        """Return the keys of all up to an answer that the provider keeps, as far as they are known."""
        message, keys = self.kept
        return keys if previous and previous == message else ()

    @property
    def busy(self) -> bool:
        """Whether something of it is being filed."""
        return (
            bool(self.filed)
            or self.filing.locked()
            or (self.settling is not None and not self.settling.done())
        )

    def measured(self) -> int:
        """Return about how many bytes are remembered of it."""
        live = self.live
        keys = len(live.durable) + len(live.erased) + len(live.invalid) + len(self.line) + len(self.firsts)
        keys += len(self.kept[1])
        return keys * KEY_BYTES + 4 * len(self.newest) + live.state_bytes()

    def trimmed(self) -> None:
        """Let go of keys that its history has no more: the archive knows them, should they come again."""
        live, line = self.live, self.line
        most = max(LEAST_KEYS, 2 * len(line))
        for keys in (live.durable, live.erased, live.invalid):
            if len(keys) > most:
                keys.intersection_update(line)
        while len(self.firsts) > MOST_FIRSTS:
            del self.firsts[next(iter(self.firsts))]

    def shares(self, items: Sequence[Item]) -> int:
        """Return how many of the items it has had, those not counted that every conversation of a host has."""
        durable, line = self.live.durable, frozenset(self.line)
        return sum(
            1 for item in items if item.role is not Role.SYSTEM and (item.key in durable or item.key in line)
        )


class OpenConversations:
    """All that are remembered, the last used last."""

    def __init__(self, known: Known, place: str = "") -> None:
        """Begin without any; `known` spares reading an item twice, in whichever conversation.

        `place` is the folder that the clients work in. Conversations without a name are of it: those that begin alike
        elsewhere are others.
        """
        self._known, self._place = known, place
        self._all = OrderedDict[bytes, OpenConversation]()
        self._sessions = dict[tuple[str, str], list[OpenConversation]]()
        self._compacting = dict[tuple[str, str], OpenConversation]()
        self._answers = OrderedDict[str, OpenConversation]()
        self._size = 0  # bytes of all

    def find(self, who: Who, history: Conversation, said: Beside, aside: Aside) -> OpenConversation:
        """Return the conversation that a request goes on with, a new one where it goes on with none."""
        found = self.peek(who, history, said, aside)
        if found.id not in self._all:
            self._sessions.setdefault((found.host, found.session), []).append(found)
        found.firsts[chain(history)] = None
        if aside is Aside.NONE:
            found.line = history.keys
            newest = _text(history.items[-1]) if history.items else ""
            found.newest = newest if len(newest) <= MOST_NEWEST else ""
            found.trimmed()
        elif aside is Aside.COMPACTION:
            self._compacting[found.host, found.session] = found
        self._all[found.id] = found
        self._all.move_to_end(found.id)
        size = found.measured()
        self._size, found.size = self._size + size - found.size, size
        self._forget()
        return found

    def states(self) -> list[State]:
        """Return the windows of all, the last used first."""
        return [conversation.live.state for conversation in reversed(self._all.values())]

    def peek(self, who: Who, history: Conversation, said: Beside, aside: Aside) -> OpenConversation:
        """Return the same, and remember nothing of it."""
        found = self._answers.get(said.previous) if said.previous else None
        if found is not None:
            return found
        find = self._of_session if who.session else self._of_line
        return find(who, history, said, aside)

    def filed_beside(
        self, conversation: OpenConversation, history: Conversation
    ) -> frozenset[asyncio.Task[str]]:
        """Return what is being filed of other conversations with which this one may have its beginning in common."""
        busy = [
            one
            for one in self._all.values()
            if one.filed and one.host == conversation.host and one is not conversation
        ]
        return frozenset(task for one in busy if one.shares(history.items) for task in one.filed)

    def renamed(self, conversation: OpenConversation, own: str) -> None:
        """Give a conversation another name: it is not the session's main one."""
        self._all.pop(conversation.id, None)
        conversation.named(own)
        self._all[conversation.id] = conversation

    def answered(self, conversation: OpenConversation, message: str) -> None:
        """Remember whose an answer was: a client may build on it by its id alone."""
        if message:
            self._answers[message] = conversation
            if len(self._answers) > MOST:
                self._answers.popitem(last=False)

    def _of_session(self, who: Who, history: Conversation, said: Beside, aside: Aside) -> OpenConversation:
        place, first = (who.host, who.session), chain(history)
        conversations = self._sessions.get(place, [])
        for conversation in conversations:
            if first in conversation.firsts:
                return conversation
        if aside is not Aside.TITLE:
            shared = max(
                conversations, key=lambda conversation: conversation.shares(history.items), default=None
            )
            if shared is not None and shared.shares(history.items):
                return shared
            if conversations and _made_short(history):
                return self._compacting.get(place) or conversations[0]
        beside = aside is Aside.TITLE or (who.host in WITH_TOOLS and not said.tools and aside is Aside.NONE)
        has_main = any(not conversation.own for conversation in conversations)
        return self._new(who.host, who.session, first if beside or has_main else "")

    def _of_line(self, who: Who, history: Conversation, said: Beside, aside: Aside) -> OpenConversation:
        del said
        keys = history.keys
        conversations = [
            conversation
            for conversation in self._all.values()
            if conversation.host == who.host and _unnamed(conversation)
        ]
        if not keys:
            return self._new(who.host, wire_session(self._place, ""), "")
        going_on = [
            conversation
            for conversation in conversations
            if conversation.line and keys[: len(conversation.line)] == conversation.line
        ]
        if going_on:
            return max(going_on, key=lambda conversation: len(conversation.line))
        amended = [conversation for conversation in conversations if _amended(conversation, history, keys)]
        if amended:
            return max(amended, key=lambda conversation: len(conversation.line))
        again = [conversation for conversation in conversations if conversation.line[: len(keys)] == keys]
        if again:
            return again[-1]
        if aside is not Aside.NONE or _made_short(history):
            shared = max(
                conversations, key=lambda conversation: conversation.shares(history.items), default=None
            )
            if shared is not None and shared.shares(history.items):
                return shared
        return self._branch(who, history, keys, conversations)

    def _branch(
        self, who: Who, history: Conversation, keys: tuple[str, ...], conversations: list[OpenConversation]
    ) -> OpenConversation:
        """Return a new conversation, which knows of what it shares with another one that it is archived there."""
        first = chain(history)
        begun = [conversation for conversation in conversations if first in conversation.firsts]
        if not begun:
            return self._new(who.host, wire_session(self._place, first), "")
        nearest = max(begun, key=lambda conversation: _common(conversation.line, keys))
        common = _common(nearest.line, keys)
        return self._new(
            who.host, wire_session(self._place, first, keys[common] if common < len(keys) else ""), ""
        )

    def _new(self, host: str, session: str, own: str) -> OpenConversation:
        known = self._all.get(conversation_id(host, session, own))
        if known is not None:
            return known
        return OpenConversation(host, session, own, self._known)

    def _forget(self) -> None:
        while len(self._all) > 1 and (len(self._all) > MOST or self._size > MOST_BYTES):
            oldest = self._oldest()
            del self._all[oldest.id]
            self._size, oldest.size = self._size - oldest.size, 0
            place = (oldest.host, oldest.session)
            left = [
                conversation for conversation in self._sessions.get(place, ()) if conversation is not oldest
            ]
            if left:
                self._sessions[place] = left
            else:
                self._sessions.pop(place, None)
            if self._compacting.get(place) is oldest:
                del self._compacting[place]
            for message in [
                message for message, conversation in self._answers.items() if conversation is oldest
            ]:
                del self._answers[message]

    def _oldest(self) -> OpenConversation:
        """Return the one used longest ago, but for those of which something is being filed, if others are left."""
        *others, newest = self._all.values()
        return next(
            (conversation for conversation in others if not conversation.busy),
            others[0] if others else newest,
        )


def wire_session(place: str, first: str, branch: str = "") -> str:
    """Return what a session is called that its client does not name: by its folder, its beginning, its branch."""
    return WIRE + sha256(f"{place}\0{first}\0{branch}".encode()).hexdigest()[:DIGITS]


def _unnamed(conversation: OpenConversation) -> bool:
    return conversation.session.startswith(WIRE)


def _amended(conversation: OpenConversation, history: Conversation, keys: Sequence[str]) -> bool:
    """Tell whether a history goes on but for words that its client puts behind the newest message only, as aider does.

    Another message in that place is another conversation; so is one that nothing follows.
    """
    last = len(conversation.line) - 1
    if not 0 < last < len(keys) - 1 or conversation.line[:last] != keys[:last]:
        return False
    text = _text(history.items[last])
    return text.strip() != "" and conversation.newest.startswith(text.rstrip())


def _text(item: Item) -> str:
    return "".join(part.text for part in item.parts)


def _common(line: Sequence[str], keys: Sequence[str]) -> int:
    """Return how many keys two lines begin with in common."""
    count = 0
    for one, other in zip(line, keys, strict=False):
        if one != other:
            break
        count += 1
    return count


def _made_short(history: Conversation) -> bool:
    """Tell whether a host or its provider has made the history short."""
    states = (part for item in history.items if item.role is Role.OTHER for part in item.parts)
    return compacted(history) or any(part.kind is Kind.STATE for part in states)
