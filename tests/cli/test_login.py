"""The login service: what is written, that it is read as meant, and that it goes without a trace."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_install import Machine
from unabridged.daemon import login
from unabridged.daemon.paths import layout


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.chdir(made.project)
    return made


@pytest.mark.skipif(sys.platform != "linux", reason="systemd")
def test_the_service_is_off_until_it_is_asked_for_and_goes_without_a_trace(machine: Machine) -> None:
    before = machine.snapshot()
    assert machine.una("daemon", "login", "--json").json["on"] is False
    assert machine.snapshot() == before
    done = machine.una("daemon", "login", "on", "--json").json
    assert done["on"] is True
    assert len(done["changed"]) == 2
    assert "systemctl --user" in done["steps"][0]
    assert machine.una("daemon", "login", "on", "--json").json["changed"] == []
    assert machine.una("daemon", "login").out.startswith(f"login service {done['service']}: on")
    assert machine.una("uninstall").status == 0  # agents only: the service is no agent's
    assert machine.una("daemon", "login", "off", "--json").json["on"] is False
    assert machine.snapshot() == before


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_reads_the_unit_as_it_is_meant(tmp_path: Path) -> None:
    odd = tmp_path / 'a %h "b" $HOME ü'
    place = layout({"UNABRIDGED_HOME": str(odd)})
    python = odd / "python"
    odd.mkdir()
    shutil.copy("/bin/true", python)
    made = login.files("linux", str(tmp_path), {}, place, str(python))
    unit, dropped = (Path(path) for path in made)
    assert unit.name in made[str(dropped)].decode()
    unit.parent.mkdir(parents=True)
    unit.write_bytes(made[str(unit)])
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if "unabridged" in line]
    assert said == []
    assert done.returncode == 0


def test_launchd_gets_the_same_words() -> None:
    place = layout({"UNABRIDGED_HOME": "/srv/a b"})
    made = login.files("darwin", "/Users/x", {"UNABRIDGED_HOME": "/srv/a b"}, place, "/p/python")
    ((path, content),) = made.items()
    assert path.startswith("/Users/x/Library/LaunchAgents/org.unabridged-")
    said = plistlib.loads(content)
    assert said["ProgramArguments"] == login.command("/p/python", place)
    assert said["KeepAlive"] == {"SuccessfulExit": False}
    assert login.files("win32", "C:", {}, place, "python") == {}


def test_two_homes_have_services_of_their_own() -> None:
    one, two = ({"UNABRIDGED_HOME": f"/srv/{name}"} for name in "ab")
    names = {login.name(env, layout(env)) for env in (one, two, {})}
    assert len(names) == 3


def test_a_line_break_in_a_path_is_no_setting_of_the_service() -> None:
    unit = login.systemd(["/opt/a\nExecStartPre=/bin/touch ran", "b\r\x7f"]).decode()
    assert [line for line in unit.splitlines() if line.startswith("Exec")] == [
        'ExecStart=/usr/bin/env "/opt/a\\x0aExecStartPre=/bin/touch ran" "b\\x0d\\x7f"'
    ]
