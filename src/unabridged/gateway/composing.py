"""The parts that archive what passes and make it a window, put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unabridged.daemon.config import Config
from unabridged.daemon.link import Link
from unabridged.gateway import handed
from unabridged.gateway.archive import DaemonArchive
from unabridged.gateway.bounds import of_settings
from unabridged.gateway.filing import Filing
from unabridged.gateway.identity import AIDER, OTHER, Who
from unabridged.gateway.journal import Journal
from unabridged.gateway.masking import masker
from unabridged.gateway.shims.windows import HostWindows
from unabridged.gateway.windows import Windows
from unabridged.window.limits import Limits

if TYPE_CHECKING:
    from unabridged.gateway.offered.offers import Offers

# That a request waits for the archive: an extension waits two seconds in all, with the start of this process in them,
# and ten where its provider would refuse the request as it is.
EXTENSION_SECONDS = (1.2, 8.0)
OFFER = "offer"  # the setting's value with which tools are offered


def composed(link: Link, journal: Journal, settings: Config, folder: str, who: Who) -> tuple[Filing, Windows]:
    """Return what hands items to the archive, and what makes windows, for a gateway that was started in a folder.

    `who`: whose requests are that do not say it.
    """
    filing = Filing(DaemonArchive(link), journal, folder)
    offers = _offers(link, filing, journal) if settings.text("gateway.tools") == OFFER else None
    return filing, Windows(filing, of_settings(settings), who, masker(settings), offers)


def of_host(
    link: Link, journal: Journal, settings: Config, folder: str, told: Mapping[str, int]
) -> tuple[Filing, HostWindows]:
    """Return the same for a host's own extension, which is answered before it has waited for long.

    `told`: the windows of models in tokens as the host says them; it may be filled later.
    """
    filing = Filing(DaemonArchive(link), journal, folder, EXTENSION_SECONDS)
    known = of_settings(settings)

    def bounds(model: str, reserve: int, window: int) -> tuple[Limits, str]:
        return known(model, reserve, window or told.get(model, 0))

    return filing, HostWindows(filing, bounds, Who(OTHER), masker(settings))


def whose(host: str, token: str) -> Who:
    """Return whose requests are that do not say it, in a gateway that was started for a host ("": any).

    aider says no session, and what it sends before the conversation changes with the files: a run of it is a session,
    which a gateway that follows goes on with: it has the same token.
    """
    return Who(host or OTHER, handed.run_of(token) if host == AIDER else "")


def _offers(link: Link, filing: Filing, journal: Journal) -> Offers:
    from unabridged.gateway.offered import offers  # noqa: PLC0415 - it brings every operation along

    return offers.Offers(link.call, filing, journal)
