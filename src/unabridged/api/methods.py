"""One method an operation. Written by scripts/reference (`make docs`) from the one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from unabridged.api import places
from unabridged.api.asking import Asking
from unabridged.api.pages import Pages
from unabridged.service import live, requests


class Methods(Asking):
    """Every operation that the Python API offers."""

    def status(self, *, timeout: float | None = None) -> requests.StatusAnswer:
        """Tell how the archive, the index, the daemon and the hosts are.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {}
        return self._ask("status", requests.Empty, requests.StatusAnswer, asked, timeout)

    def stats(
        self, *, session: str = "", limit: int = 20, timeout: float | None = None
    ) -> requests.StatsAnswer:
        """Count what is kept and what it takes.

        session: any name of a session
        limit: sessions under `window`, the one used last first; at most 1,000
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"session": session, "limit": limit}
        return self._ask("stats", requests.StatsRequest, requests.StatsAnswer, asked, timeout)

    def import_(
        self,
        paths: Sequence[str | PathLike[str]] = (),
        *,
        host: str = "",
        dry_run: bool = False,
        verify: bool = False,
        env: Mapping[str, str] | None = None,
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float = 0.0,
    ) -> requests.ImportAnswer:
        """Read transcripts into the archive; answers when they are searchable.

        verify: re-hash unchanged files
        env: the caller's overrides of where hosts keep sessions (names that host packages declare)
        on_progress: is told how far it is; what it raises ends the operation and is raised
        timeout: seconds; 0: however long it takes
        """
        asked: dict[str, Any] = {
            "paths": places.absolute_all(paths), "host": host, "dry_run": dry_run, "verify": verify,
            "env": places.moved(env),
        }  # fmt: skip
        return self._ask("import", requests.ImportRequest, requests.ImportAnswer, asked, timeout, on_progress)

    def notify(
        self,
        path: str | PathLike[str],
        *,
        host: str = "",
        event: str = "",
        session: str = "",
        timeout: float | None = None,
    ) -> requests.PingAnswer:
        """Tell that a transcript grew; answers at once.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "path": places.absolute(path),
            "host": host,
            "event": event,
            "session": session,
        }
        return self._ask("notify", requests.NotifyRequest, requests.PingAnswer, asked, timeout)

    def note(
        self,
        text: str,
        *,
        request: str = "",
        project: str | PathLike[str] = "",
        title: str = "",
        subject_key: str = "",
        supersedes: str = "",
        searchable: bool = True,
        timeout: float | None = None,
    ) -> requests.NoteAnswer:
        """Admit a note; a repeated request id answers the first outcome.

        searchable: answer when a search finds it; false: when it is durable
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "text": text, "request": request, "project": places.project_at(project), "title": title,
            "subject_key": subject_key, "supersedes": supersedes, "searchable": searchable,
        }  # fmt: skip
        return self._ask("note", requests.NoteRequest, requests.NoteAnswer, asked, timeout)

    def correct(
        self,
        target: str,
        text: str,
        *,
        title: str = "",
        request: str = "",
        project: str | PathLike[str] = "",
        scope: str = "",
        searchable: bool = True,
        timeout: float | None = None,
    ) -> requests.CorrectAnswer:
        """Correct a note or a message by a note that takes its place; both are kept.

        text: what is true instead, to be understood by itself
        title: empty: that of the note which it corrects
        searchable: answer when a search finds it; false: when it is durable
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "target": target, "text": text, "title": title, "request": request,
            "project": places.project_at(project), "scope": scope, "searchable": searchable,
        }  # fmt: skip
        return self._ask("correct", requests.CorrectRequest, requests.CorrectAnswer, asked, timeout)

    def sessions(
        self,
        *,
        host: str = "",
        project: str | PathLike[str] = "",
        limit: int = 1000,
        cursor: str = "",
        scope: str = "",
        timeout: float | None = None,
    ) -> requests.SessionsAnswer:
        """List archived sessions, the one that ended last first.

        scope: session, project, all; empty: what is granted
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "host": host, "project": places.project_at(project), "limit": limit, "cursor": cursor,
            "scope": scope,
        }  # fmt: skip
        return self._ask("sessions", requests.SessionsRequest, requests.SessionsAnswer, asked, timeout)

    def sessions_all(
        self,
        *,
        host: str = "",
        project: str | PathLike[str] = "",
        limit: int = 1000,
        scope: str = "",
        timeout: float | None = None,
    ) -> Pages[requests.SessionsAnswer, requests.SessionRow]:
        """Go through the sessions of every page of `sessions`, asking for each page when it is needed.

        The arguments are those of `sessions`; `limit` is for one page.
        """
        asked: dict[str, Any] = {
            "host": host,
            "project": places.project_at(project),
            "limit": limit,
            "scope": scope,
        }
        return self._pages(
            "sessions",
            requests.SessionsRequest,
            requests.SessionsAnswer,
            asked,
            timeout,
            lambda page: page.sessions,
        )

    def original(
        self,
        session: str,
        *,
        origin: str = "",
        offset: int = 0,
        limit: int = 4194304,
        allow_gaps: bool = False,
        listing: bool = False,
        generation: int = 0,
        timeout: float | None = None,
    ) -> requests.OriginalAnswer:
        """Give a page of a session's original bytes.

        origin: path or id; empty: the session's main transcript
        listing: only the list of origins, no bytes
        generation: of a file that was rewritten, the number of an older content; 0: the newest
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "session": session, "origin": origin, "offset": offset, "limit": limit, "allow_gaps": allow_gaps,
            "listing": listing, "generation": generation,
        }  # fmt: skip
        return self._ask("original", requests.OriginalRequest, requests.OriginalAnswer, asked, timeout)

    def show(
        self,
        target: str,
        *,
        limit: int = 200,
        cursor: str = "",
        max_bytes: int = 1048576,
        reasoning: bool = False,
        timeout: float | None = None,
    ) -> requests.ShowAnswer:
        """Give a page of a session's events in order.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "target": target, "limit": limit, "cursor": cursor, "max_bytes": max_bytes,
            "reasoning": reasoning,
        }  # fmt: skip
        return self._ask("show", requests.ShowRequest, requests.ShowAnswer, asked, timeout)

    def show_all(
        self,
        target: str,
        *,
        limit: int = 200,
        max_bytes: int = 1048576,
        reasoning: bool = False,
        timeout: float | None = None,
    ) -> Pages[requests.ShowAnswer, dict[str, Any]]:
        """Go through the events of every page of `show`, asking for each page when it is needed.

        The arguments are those of `show`; `limit` is for one page.
        """
        asked: dict[str, Any] = {
            "target": target,
            "limit": limit,
            "max_bytes": max_bytes,
            "reasoning": reasoning,
        }
        return self._pages(
            "show", requests.ShowRequest, requests.ShowAnswer, asked, timeout, lambda page: page.events
        )

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        scope: str = "",
        project: str | PathLike[str] = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        tools: Sequence[str] = (),
        hosts: Sequence[str] = (),
        path: str = "",
        since: str = "",
        until: str = "",
        session: str = "",
        branch: str = "all",
        exclude: Sequence[str] = (),
        side: bool = True,
        superseded: bool = False,
        semantic: str = "auto",
        operators: bool = False,
        cursor: str = "",
        explain: bool = False,
        expansion: Sequence[str] = (),
        working_set: Sequence[str] = (),
        session_context: str = "",
        per_session: int = 0,
        relation: str = "",
        timeout: float | None = None,
    ) -> requests.SearchAnswer:
        """Find passages; any text is a valid query.

        scope: session, project, all; empty: what is granted
        project: a path or project id; empty: the handshake's project
        kinds: event kinds (text, tool-call, …) or document kinds
        path: a file path, or the end of one, that the event names
        session: any name of a session
        branch: "all", or "current": the lineage of the session's current leaf
        exclude: source keys visible in the live window, at most 1,000
        side: include subagents
        superseded: include notes that were replaced
        operators: explicit query mode
        expansion: likely synonyms of a question without exact names, at most 16; they count less
        working_set: files (or passages) that the asker has in hand, at most 16: they decide near-ties
        session_context: what is talked of just now, at most 16,384 characters: it decides near-ties
        per_session: at most so many hits of one session; 0: no limit
        relation: latest-question, -request, -correction, -answer, -decision or -failure
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "query": query, "limit": limit, "scope": scope, "project": places.project_at(project),
            "semantic": semantic, "operators": operators, "cursor": cursor, "explain": explain,
            "expansion": expansion, "working_set": working_set, "session_context": session_context,
            "per_session": per_session, "relation": relation,
            "filters": {
                "kinds": kinds, "roles": roles, "tools": tools, "hosts": hosts, "path": path, "since": since,
                "until": until, "session": session, "branch": branch, "exclude": exclude, "side": side,
                "superseded": superseded,
            },
        }  # fmt: skip
        return self._ask("search", requests.SearchRequest, requests.SearchAnswer, asked, timeout)

    def search_all(
        self,
        query: str,
        *,
        limit: int = 10,
        scope: str = "",
        project: str | PathLike[str] = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        tools: Sequence[str] = (),
        hosts: Sequence[str] = (),
        path: str = "",
        since: str = "",
        until: str = "",
        session: str = "",
        branch: str = "all",
        exclude: Sequence[str] = (),
        side: bool = True,
        superseded: bool = False,
        semantic: str = "auto",
        operators: bool = False,
        explain: bool = False,
        expansion: Sequence[str] = (),
        working_set: Sequence[str] = (),
        session_context: str = "",
        per_session: int = 0,
        relation: str = "",
        timeout: float | None = None,
    ) -> Pages[requests.SearchAnswer, requests.Hit]:
        """Go through the hits of every page of `search`, asking for each page when it is needed.

        The arguments are those of `search`; `limit` is for one page.
        """
        asked: dict[str, Any] = {
            "query": query, "limit": limit, "scope": scope, "project": places.project_at(project),
            "semantic": semantic, "operators": operators, "explain": explain, "expansion": expansion,
            "working_set": working_set, "session_context": session_context, "per_session": per_session,
            "relation": relation,
            "filters": {
                "kinds": kinds, "roles": roles, "tools": tools, "hosts": hosts, "path": path, "since": since,
                "until": until, "session": session, "branch": branch, "exclude": exclude, "side": side,
                "superseded": superseded,
            },
        }  # fmt: skip
        return self._pages(
            "search", requests.SearchRequest, requests.SearchAnswer, asked, timeout, lambda page: page.hits
        )

    def grep(
        self,
        pattern: str,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        scope: str = "",
        project: str | PathLike[str] = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        tools: Sequence[str] = (),
        hosts: Sequence[str] = (),
        path: str = "",
        since: str = "",
        until: str = "",
        session: str = "",
        branch: str = "all",
        exclude: Sequence[str] = (),
        side: bool = True,
        superseded: bool = False,
        cursor: str = "",
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float = 0.0,
    ) -> requests.SearchAnswer:
        """Find a regular expression or a literal, in the order of the log.

        kinds: event kinds (text, tool-call, …) or document kinds
        path: a file path, or the end of one, that the event names
        session: any name of a session
        branch: "all", or "current": the lineage of the session's current leaf
        exclude: source keys visible in the live window, at most 1,000
        side: include subagents
        superseded: include notes that were replaced
        on_progress: is told how far it is; what it raises ends the operation and is raised
        timeout: seconds; 0: however long it takes
        """
        asked: dict[str, Any] = {
            "pattern": pattern, "literal": literal, "ignore_case": ignore_case, "limit": limit,
            "scope": scope, "project": places.project_at(project), "cursor": cursor,
            "filters": {
                "kinds": kinds, "roles": roles, "tools": tools, "hosts": hosts, "path": path, "since": since,
                "until": until, "session": session, "branch": branch, "exclude": exclude, "side": side,
                "superseded": superseded,
            },
        }  # fmt: skip
        return self._ask("grep", requests.GrepRequest, requests.SearchAnswer, asked, timeout, on_progress)

    def grep_all(
        self,
        pattern: str,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        scope: str = "",
        project: str | PathLike[str] = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        tools: Sequence[str] = (),
        hosts: Sequence[str] = (),
        path: str = "",
        since: str = "",
        until: str = "",
        session: str = "",
        branch: str = "all",
        exclude: Sequence[str] = (),
        side: bool = True,
        superseded: bool = False,
        timeout: float = 0.0,
    ) -> Pages[requests.SearchAnswer, requests.Hit]:
        """Go through the hits of every page of `grep`, asking for each page when it is needed.

        The arguments are those of `grep`; `limit` is for one page.
        """
        asked: dict[str, Any] = {
            "pattern": pattern, "literal": literal, "ignore_case": ignore_case, "limit": limit,
            "scope": scope, "project": places.project_at(project),
            "filters": {
                "kinds": kinds, "roles": roles, "tools": tools, "hosts": hosts, "path": path, "since": since,
                "until": until, "session": session, "branch": branch, "exclude": exclude, "side": side,
                "superseded": superseded,
            },
        }  # fmt: skip
        return self._pages(
            "grep", requests.GrepRequest, requests.SearchAnswer, asked, timeout, lambda page: page.hits
        )

    def recall(
        self,
        target: str,
        *,
        neighbors: int = 0,
        max_tokens: int = 4000,
        cursor: str = "",
        project: str | PathLike[str] = "",
        scope: str = "",
        envelope: bool = False,
        whole: bool = False,
        counts: bool = True,
        timeout: float | None = None,
    ) -> requests.RecallAnswer:
        """Give an exact passage back.

        neighbors: windows before and after, at most 32
        max_tokens: at most 100,000; a hit's `tokens` are enough for it
        envelope: also rendered for a model, as delimited quoted data
        whole: prefer the complete turn when it fits
        counts: as a use of a passage that a search showed (see `feedback`)
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "target": target, "neighbors": neighbors, "max_tokens": max_tokens, "cursor": cursor,
            "project": places.project_at(project), "scope": scope, "envelope": envelope, "whole": whole,
            "counts": counts,
        }  # fmt: skip
        return self._ask("recall", requests.RecallRequest, requests.RecallAnswer, asked, timeout)

    def recall_all(
        self,
        target: str,
        *,
        neighbors: int = 0,
        max_tokens: int = 4000,
        project: str | PathLike[str] = "",
        scope: str = "",
        envelope: bool = False,
        whole: bool = False,
        counts: bool = True,
        timeout: float | None = None,
    ) -> Pages[requests.RecallAnswer, requests.RecallAnswer]:
        """Go through every page of `recall`, asking for each page when it is needed.

        The arguments are those of `recall`.
        """
        asked: dict[str, Any] = {
            "target": target, "neighbors": neighbors, "max_tokens": max_tokens,
            "project": places.project_at(project), "scope": scope, "envelope": envelope, "whole": whole,
            "counts": counts,
        }  # fmt: skip
        return self._pages(
            "recall", requests.RecallRequest, requests.RecallAnswer, asked, timeout, lambda page: [page]
        )

    def gather(
        self,
        query: str,
        *,
        intent: str = "auto",
        limit: int = 5,
        max_tokens: int = 6000,
        max_evidence: int = 12,
        before: int | None = None,
        after: int | None = None,
        scope: str = "",
        project: str | PathLike[str] = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        tools: Sequence[str] = (),
        hosts: Sequence[str] = (),
        path: str = "",
        since: str = "",
        until: str = "",
        session: str = "",
        branch: str = "all",
        exclude: Sequence[str] = (),
        side: bool = True,
        superseded: bool = False,
        semantic: str = "auto",
        operators: bool = False,
        expansion: Sequence[str] = (),
        working_set: Sequence[str] = (),
        session_context: str = "",
        cursor: str = "",
        explain: bool = False,
        relation: str = "",
        timeout: float | None = None,
    ) -> requests.GatherAnswer:
        """Gather exact evidence for a question over several turns, oldest first, within a budget.

        limit: hits whose surroundings are gathered, at most 10
        max_tokens: of all texts with 96 for each piece, by the strict estimate; 150 to 100,000
        max_evidence: pieces of text, at most 24
        before: steps before each hit, at most 8; null: as the intent says
        after: steps behind each hit, at most 16; null: as the intent says
        scope: session, project, all; empty: what is granted
        kinds: event kinds (text, tool-call, …) or document kinds
        path: a file path, or the end of one, that the event names
        session: any name of a session
        branch: "all", or "current": the lineage of the session's current leaf
        exclude: source keys visible in the live window, at most 1,000
        side: include subagents
        superseded: include notes that were replaced
        expansion: likely synonyms of a question without exact names, at most 16; they count less
        working_set: files (or passages) that the asker has in hand, at most 16: they decide near-ties
        session_context: what is talked of just now, at most 16,384 characters: it decides near-ties
        cursor: `next` of an earlier packet of the same question: what was not given yet
        relation: as of a search: the latest of its kind, with what was said around it
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "query": query, "intent": intent, "limit": limit, "max_tokens": max_tokens,
            "max_evidence": max_evidence, "before": before, "after": after, "scope": scope,
            "project": places.project_at(project), "semantic": semantic, "operators": operators,
            "expansion": expansion, "working_set": working_set, "session_context": session_context,
            "cursor": cursor, "explain": explain, "relation": relation,
            "filters": {
                "kinds": kinds, "roles": roles, "tools": tools, "hosts": hosts, "path": path, "since": since,
                "until": until, "session": session, "branch": branch, "exclude": exclude, "side": side,
                "superseded": superseded,
            },
        }  # fmt: skip
        return self._ask("gather", requests.GatherRequest, requests.GatherAnswer, asked, timeout)

    def gather_all(
        self,
        query: str,
        *,
        intent: str = "auto",
        limit: int = 5,
        max_tokens: int = 6000,
        max_evidence: int = 12,
        before: int | None = None,
        after: int | None = None,
        scope: str = "",
        project: str | PathLike[str] = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        tools: Sequence[str] = (),
        hosts: Sequence[str] = (),
        path: str = "",
        since: str = "",
        until: str = "",
        session: str = "",
        branch: str = "all",
        exclude: Sequence[str] = (),
        side: bool = True,
        superseded: bool = False,
        semantic: str = "auto",
        operators: bool = False,
        expansion: Sequence[str] = (),
        working_set: Sequence[str] = (),
        session_context: str = "",
        explain: bool = False,
        relation: str = "",
        timeout: float | None = None,
    ) -> Pages[requests.GatherAnswer, requests.Evidence]:
        """Go through the evidence of every page of `gather`, asking for each page when it is needed.

        The arguments are those of `gather`; `limit` is for one page.
        """
        asked: dict[str, Any] = {
            "query": query, "intent": intent, "limit": limit, "max_tokens": max_tokens,
            "max_evidence": max_evidence, "before": before, "after": after, "scope": scope,
            "project": places.project_at(project), "semantic": semantic, "operators": operators,
            "expansion": expansion, "working_set": working_set, "session_context": session_context,
            "explain": explain, "relation": relation,
            "filters": {
                "kinds": kinds, "roles": roles, "tools": tools, "hosts": hosts, "path": path, "since": since,
                "until": until, "session": session, "branch": branch, "exclude": exclude, "side": side,
                "superseded": superseded,
            },
        }  # fmt: skip
        return self._pages(
            "gather",
            requests.GatherRequest,
            requests.GatherAnswer,
            asked,
            timeout,
            lambda page: page.evidence,
        )

    def traverse(
        self,
        target: str,
        *,
        before: int = 5,
        after: int = 5,
        max_tokens: int = 4000,
        cursor: str = "",
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        scope: str = "",
        project: str | PathLike[str] = "",
        timeout: float | None = None,
    ) -> requests.TraverseAnswer:
        """Give a conversation before and behind one place, page by page.

        before: steps, at most 128
        after: steps, at most 128
        max_tokens: of all texts with 96 for each step, by the strict estimate; 150 to 100,000
        cursor: `before` or `next` of an earlier page: only that side goes on
        kinds: which kinds of steps count: text, tool-call, …
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "target": target, "before": before, "after": after, "max_tokens": max_tokens, "cursor": cursor,
            "kinds": kinds, "roles": roles, "scope": scope, "project": places.project_at(project),
        }  # fmt: skip
        return self._ask("traverse", requests.TraverseRequest, requests.TraverseAnswer, asked, timeout)

    def traverse_all(
        self,
        target: str,
        *,
        before: int = 5,
        after: int = 5,
        max_tokens: int = 4000,
        kinds: Sequence[str] = (),
        roles: Sequence[str] = (),
        scope: str = "",
        project: str | PathLike[str] = "",
        timeout: float | None = None,
    ) -> Pages[requests.TraverseAnswer, requests.Evidence]:
        """Go through the steps of every page of `traverse`, asking for each page when it is needed.

        The arguments are those of `traverse`.
        """
        asked: dict[str, Any] = {
            "target": target, "before": before, "after": after, "max_tokens": max_tokens, "kinds": kinds,
            "roles": roles, "scope": scope, "project": places.project_at(project),
        }  # fmt: skip
        return self._pages(
            "traverse",
            requests.TraverseRequest,
            requests.TraverseAnswer,
            asked,
            timeout,
            lambda page: page.steps,
        )

    def hint(
        self,
        message: str,
        session: str,
        *,
        key: str = "",
        host: str = "",
        project: str | PathLike[str] = "",
        scope: str = "",
        visible: list[str] | None = None,
        active: list[str] | None = None,
        frozen: bool = False,
        timeout: float | None = None,
    ) -> requests.HintAnswer:
        """Decide what to tell an agent beside a message: mostly nothing; asked again, the same.

        session: any name of an archived session, or the host's id of one that is not archived yet
        key: the host's id of the message, at most 512 characters; empty: its own text names it
        host: which host's id `session` is; empty: whichever session has that name
        scope: session, project, all: how far to look; empty: project
        active: keys of the messages in the live window, at most 2,000; null: the same
        frozen: only answer what was decided before, and decide nothing
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "message": message, "session": session, "key": key, "host": host,
            "project": places.project_at(project), "scope": scope, "visible": visible, "active": active,
            "frozen": frozen,
        }  # fmt: skip
        return self._ask("hint", requests.HintRequest, requests.HintAnswer, asked, timeout)

    def hook(
        self,
        host: str,
        input: Mapping[str, Any] | None,
        *,
        cwd: str = "",
        machine: str = "",
        sequence: str = "",
        timeout: float | None = None,
    ) -> requests.HookAnswer:
        """Do what an event of a host's session asks for, and tell what its hook prints.

        input: what the host writes to the hook's standard input, at most 8 MiB
        cwd: where the hook ran
        sequence: names the event among those of its machine
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "host": host,
            "input": input,
            "cwd": cwd,
            "machine": machine,
            "sequence": sequence,
        }
        return self._ask("hook", requests.HookRequest, requests.HookAnswer, asked, timeout)

    def why(
        self,
        *,
        session: str = "",
        limit: int = 10,
        host: str = "",
        project: str | PathLike[str] = "",
        scope: str = "",
        timeout: float | None = None,
    ) -> requests.WhyAnswer:
        """Tell why the last hints were given or not, without archived text.

        session: only of this session
        limit: at most 200
        host: which host's id `session` is
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "session": session, "limit": limit, "host": host, "project": places.project_at(project),
            "scope": scope,
        }  # fmt: skip
        return self._ask("why", requests.WhyRequest, requests.WhyAnswer, asked, timeout)

    def windows(
        self,
        *,
        session: str = "",
        limit: int = 50,
        project: str | PathLike[str] = "",
        scope: str = "",
        timeout: float | None = None,
    ) -> live.WindowsAnswer:
        """List the windows of conversations, the one used last first.

        session: any name of a session
        limit: at most 1,000
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "session": session,
            "limit": limit,
            "project": places.project_at(project),
            "scope": scope,
        }
        return self._ask("windows", live.WindowsRequest, live.WindowsAnswer, asked, timeout)

    def window_show(
        self, target: str, *, limit: int = 200, timeout: float | None = None
    ) -> live.WindowShowAnswer:
        """Tell about one window: its requests, its epochs, what it leaves out by name.

        limit: requests, at most 200
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"target": target, "limit": limit}
        return self._ask("window.show", live.WindowShowRequest, live.WindowShowAnswer, asked, timeout)

    def window_explain(
        self, target: str, *, limit: int = 10, timeout: float | None = None
    ) -> live.WindowExplainAnswer:
        """Tell what a window holds by role and tool, its largest parts, its table of contents.

        limit: of its largest parts, at most 1,000
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"target": target, "limit": limit}
        return self._ask(
            "window.explain", live.WindowExplainRequest, live.WindowExplainAnswer, asked, timeout
        )

    def window_rotate(self, target: str, *, timeout: float | None = None) -> live.WindowRotateAnswer:
        """Have the next request of a conversation begin a new epoch.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"target": target}
        return self._ask("window.rotate", live.WindowRotateRequest, live.WindowRotateAnswer, asked, timeout)

    def verify(
        self,
        *,
        deep: bool = True,
        project: str | PathLike[str] = "",
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float = 0.0,
    ) -> requests.VerifyAnswer:
        """Check every invariant of the archive.

        on_progress: is told how far it is; what it raises ends the operation and is raised
        timeout: seconds; 0: however long it takes
        """
        asked: dict[str, Any] = {"deep": deep, "project": places.project_at(project)}
        return self._ask("verify", requests.VerifyRequest, requests.VerifyAnswer, asked, timeout, on_progress)

    def doctor(self, *, fix: bool = False, timeout: float | None = None) -> requests.DoctorAnswer:
        """Look for what is wrong with the installation; repair it when asked to.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"fix": fix}
        return self._ask("doctor", requests.DoctorRequest, requests.DoctorAnswer, asked, timeout)

    def index(
        self,
        action: str = "status",
        *,
        wait: bool = True,
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float = 0.0,
    ) -> requests.IndexAnswer:
        """Show, rebuild or verify the search index.

        on_progress: is told how far it is; what it raises ends the operation and is raised
        timeout: seconds; 0: however long it takes
        """
        asked: dict[str, Any] = {"action": action, "wait": wait}
        return self._ask("index", requests.IndexRequest, requests.IndexAnswer, asked, timeout, on_progress)

    def feedback(self, *, action: str = "status", timeout: float | None = None) -> requests.FeedbackAnswer:
        """Tell how much is counted of what was recalled, or forget it.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"action": action}
        return self._ask("feedback", requests.FeedbackRequest, requests.FeedbackAnswer, asked, timeout)

    def outbox(
        self, *, action: str = "list", ids: Sequence[str] = (), timeout: float | None = None
    ) -> requests.OutboxAnswer:
        """List the events of hosts that could not be applied, try them again, or drop them.

        ids: of entries, at most 1,000; replay: none means all
        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {"action": action, "ids": ids}
        return self._ask("outbox", requests.OutboxRequest, requests.OutboxAnswer, asked, timeout)

    def project(
        self,
        action: str = "list",
        *,
        path: str | PathLike[str] = "",
        other: str | PathLike[str] = "",
        timeout: float | None = None,
    ) -> requests.ProjectAnswer:
        """List, show, link or unlink projects.

        timeout: seconds; None: as the archive was told, 0: however long it takes
        """
        asked: dict[str, Any] = {
            "action": action,
            "path": places.absolute(path),
            "other": places.absolute(other),
        }
        return self._ask("project", requests.ProjectRequest, requests.ProjectAnswer, asked, timeout)
