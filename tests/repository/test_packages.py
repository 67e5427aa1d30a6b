"""What every folder and module of the package says of itself, and what is shipped of them."""

from __future__ import annotations

import ast
import os
import zipfile
from pathlib import Path

import pytest
from flit_core import buildapi

import unabridged
from tests.repository.source import PACKAGE, ROOT, Module, modules, package_folders


def summary(module: Module) -> str:
    """Return the first line of a module's docstring, empty when there is none."""
    return (ast.get_docstring(module.tree) or "").split("\n", 1)[0]


def test_every_module_says_what_it_is() -> None:
    assert [module.path for module in modules() if len(summary(module).split()) < 3] == []


def test_every_folder_is_a_package() -> None:
    assert [folder for folder in package_folders() if not (PACKAGE / folder / "__init__.py").is_file()] == []


def test_what_a_module_offers_exists_once() -> None:
    wrong: list[str] = []
    for module in modules():
        offered = offers(module)
        missing = set(offered) - defined(module) if module.path != "__init__.py" else set()
        twice = {name for name in offered if offered.count(name) > 1}
        wrong += [f"{module.path}: {name}" for name in sorted(missing | twice)]
    assert wrong == []


def offers(module: Module) -> list[str]:
    """Return the names in `__all__`, none when there is none."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def defined(module: Module) -> set[str]:
    """Return every name that the module's top level binds."""
    bound: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name for alias in node.names}
    return bound


def test_everything_that_the_package_offers_can_be_had() -> None:
    offered = getattr(unabridged, "__all__", ())
    assert [name for name in offered if getattr(unabridged, name, None) is None] == []


def test_the_version_is_the_one_of_the_distribution() -> None:
    assert f'version = "{unabridged.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Build the wheel as `pip` would and return the names in it."""
    folder = tmp_path_factory.mktemp("wheel")
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        name = buildapi.build_wheel(str(folder))
    finally:
        os.chdir(before)
    with zipfile.ZipFile(folder / name) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_every_file_of_the_package(wheel: set[str]) -> None:
    files = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    assert {name for name in files - wheel if "__pycache__" not in name} == set()
    assert "unabridged/py.typed" in wheel


def test_the_wheel_holds_nothing_but_the_package_and_its_description(wheel: set[str]) -> None:
    assert {name.split("/")[0].split("-")[0].split(".")[0] for name in wheel} == {"unabridged"}


def test_the_wheel_names_both_commands(wheel: set[str]) -> None:
    assert any(name.endswith(".dist-info/entry_points.txt") for name in wheel)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for command in ("unabridged", "una"):
        assert f'{command} = "unabridged.app.main:main"' in text
