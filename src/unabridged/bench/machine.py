"""The machine that a measurement ran on, and how busy it was."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import unabridged

BUSY = 0.5  # waiting processes a processor from which absolute times say little


def describe() -> dict[str, Any]:
    """Return processor, cores, memory, kernel, Python and the load at this moment, as plain JSON values."""
    load = [round(value, 2) for value in os.getloadavg()]
    cores = os.cpu_count() or 1
    return {
        "cpu": _processor(),
        "cores": cores,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "unabridged": unabridged.__version__,
        "load": load,
        "busy": load[0] > BUSY * cores,
    }


def _processor() -> str:
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
