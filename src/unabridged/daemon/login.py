"""The service that keeps a daemon running while its user is logged in: the texts that systemd and launchd read.

A daemon starts on demand and leaves when nobody needs it. Agents without hooks are read as they write only while one
runs; for them it can be kept, where the user wants it.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
from collections.abc import Mapping, Sequence

from unabridged.daemon.paths import HOME_VARIABLE, Layout

STAYS = "daemon.idle_seconds=0"  # it does not leave when nobody is connected
AGAIN_SECONDS = (
    60  # until it is tried again where another daemon of the home runs, which will leave by itself
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")  # a line break would begin a setting of its own
# Rank below everything that a person waits for.
NICE = 5


def command(python: str, layout: Layout) -> list[str]:
    """Return the words that start the daemon in the foreground, for a service to watch."""
    place = ["--place", layout.data, layout.config, layout.state]
    return [python, "-P", "-m", "unabridged.app.daemon", *place, "--set", STAYS]


def name(env: Mapping[str, str], layout: Layout) -> str:
    """Return the service's name: one of its own for a home of its own."""
    if not env.get(HOME_VARIABLE):
        return "unabridged"
    return f"unabridged-{hashlib.sha256(os.fsencode(layout.data)).hexdigest()[:8]}"


def files(platform: str, home: str, env: Mapping[str, str], layout: Layout, python: str) -> dict[str, bytes]:
    """Return the service's files by their paths; {} on a system that has no such service.

    systemd: a unit, and a file that has the user's default target want it (the link that `systemctl enable` makes,
    as a text). launchd: an agent.
    """
    words, service = command(python, layout), name(env, layout)
    if platform == "darwin":
        path = os.path.join(home, "Library", "LaunchAgents", f"org.{service}.daemon.plist")
        return {path: launchd(f"org.{service}.daemon", words)}
    if platform != "linux":
        return {}
    config = env.get("XDG_CONFIG_HOME", "")
    base = config if os.path.isabs(config) else os.path.join(home, ".config")
    folder = os.path.join(base, "systemd", "user")
    return {
        os.path.join(folder, f"{service}.service"): systemd(words),
        os.path.join(folder, "default.target.d", f"{service}.conf"): wanted(service),
    }


def systemd(words: Sequence[str]) -> bytes:
    """Return a user unit of systemd (systemd.service(5)), which takes a program of any name only as an argument."""
    line = " ".join(_quoted(word) for word in words)
    text = f"""\
# Written by `una daemon login on`; `una daemon login off` takes it away.
[Unit]
Description=unabridged: the archive of your coding agents' conversations

[Service]
ExecStart=/usr/bin/env {line}
Restart=on-failure
RestartSec={AGAIN_SECONDS}
Nice={NICE}
"""
    return text.encode()


def wanted(service: str) -> bytes:
    """Return the drop-in that has a user's default target want the service."""
    text = f"# Written by `una daemon login on` of unabridged.\n[Unit]\nWants={service}.service\n"
    return text.encode()


def launchd(label: str, words: Sequence[str]) -> bytes:
    """Return an agent of launchd (launchd.plist(5))."""
    return plistlib.dumps(
        {
            "Label": label,
            "ProgramArguments": list(words),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": AGAIN_SECONDS,
            "Nice": NICE,
            "ProcessType": "Background",
        }
    )


def steps(platform: str, service: str, *, on: bool) -> tuple[str, ...]:
    """Return what makes it begin or end at once; else it does with the next login."""
    if platform == "darwin":
        verb = "bootstrap" if on else "bootout"
        return (f"launchctl {verb} gui/$(id -u) ~/Library/LaunchAgents/org.{service}.daemon.plist",)
    if on:
        return (f"systemctl --user daemon-reload && systemctl --user start {service}",)
    return (f"systemctl --user stop {service}; systemctl --user daemon-reload",)


def _quoted(word: str) -> str:
    """Return a word as systemd reads it: in quotes, `%` and `$` meaning themselves (systemd.syntax(7))."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return '"' + _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", escaped) + '"'
