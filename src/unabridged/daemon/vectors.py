"""The vectors of a daemon: which model is used, the process that fills the table, the process that is asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from unabridged.daemon.config import Config
from unabridged.daemon.logs import Log
from unabridged.daemon.vectorasking import Asking, Target
from unabridged.daemon.vectorfilling import Filling
from unabridged.daemon.vectormessages import Choice
from unabridged.retrieve.meaning import FAILED, NOT_INSTALLED, STARTING
from unabridged.store.contract import Store
from unabridged.vectors.asked import Nearest, Where

FOLDER = "vectors"  # below the index's
INSTALLED = "all-minilm-l6-v2"  # what `una models install` makes, used when no other model is named
GRAPH = "model.onnx"


class Vectors:
    """Both processes; neither runs, and nothing is written, while no model is there."""

    def __init__(self, store: Store, config: Config, log: Log, errors: str) -> None:
        """Serve one store; nothing is started yet."""
        self._config = config
        self._filling = Filling(
            store,
            os.path.join(config.layout.index, FOLDER),
            self.choice,
            config.number("semantic.disk_bytes"),
            log,
            errors,
        )
        self._asking = Asking(self._target, self._filling.suspect, log, errors)
        self._judging = Asking(self._judge, self._filling.poke, log, errors)
        self.poke = self._filling.poke
        self.start = self._filling.start
        self.behind = self._filling.behind

    def choice(self) -> Choice | None:
        """Return the model to use, None where there is none."""
        config = self._config
        if not config.flag("semantic.enabled"):
            return None
        if config.text("semantic.url"):
            name = config.text("semantic.key_env")
            return Choice(
                url=config.text("semantic.url"),
                model=config.text("semantic.remote_model"),
                key=config.env.get(name, "") if name else "",
                timeout=config.seconds("semantic.timeout_seconds"),
            )
        folder = config.text("semantic.model") or os.path.join(config.layout.models, INSTALLED)
        folder = os.path.expanduser(folder)
        return Choice(folder) if os.path.isfile(os.path.join(folder, GRAPH)) else None

    def ask(
        self, text: str, where: Where, limit: int, patience: float, also: Sequence[tuple[bytes, int]] = ()
    ) -> Nearest | str:
        """Return the nearest spans, or why there are none; see `retrieve.meaning.Meanings`."""
        if self.choice() is None:
            return NOT_INSTALLED
        answer = self._asking.ask(text, where, limit, patience, also)
        if answer != NOT_INSTALLED:
            return answer
        # There is a model, and no table yet, or none any more: it is being made, or why it is not.
        return f"{FAILED}: {self._filling.error}" if self._filling.error else STARTING

    def judges(self) -> bool:
        """Tell whether the user named a cross-encoder."""
        return self._judge() is not None

    def judge(self, question: str, passages: Sequence[str]) -> list[float] | str:
        """Return how well the first passages answer, or why there is nothing; see `retrieve.context.Meanings`."""
        seconds = self._config.seconds("semantic.reranker_seconds")
        return self._judging.judge(question, passages, seconds, seconds)

    def status(self) -> dict[str, Any]:
        """Return how the vectors stand, as plain JSON values."""
        return {
            **self._filling.status(),
            "workers": [
                *self._filling.pids(),
                *self._asking.pids(),
                *self._judging.pids(),
            ],
        }

    @property
    def busy(self) -> bool:
        """Whether something is being embedded."""
        return self._filling.busy

    def close(self, timeout: float) -> None:
        """End all processes."""
        self._judging.close(timeout)
        self._asking.close(timeout)
        self._filling.close(timeout)

    def _judge(self) -> Target | None:
        folder = self._config.text("semantic.reranker")
        if not folder or not self._config.flag("semantic.enabled"):
            return None
        return Choice(judge=os.path.expanduser(folder)), ""

    def _target(self) -> Target | None:
        choice, folder = self.choice(), self._filling.folder()
        return (choice, folder) if choice is not None and folder else None
