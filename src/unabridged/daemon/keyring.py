"""The installation's signing keys: random, in a file that only its owner can read, never in a store or a backup."""

from __future__ import annotations

import json
import os

from unabridged.daemon import safety
from unabridged.errors import Corrupt
from unabridged.retrieve.locator import Locators

NAME = "locators.json"
KEY_BYTES = 32
MAX_FILE_BYTES = 65_536
FIRST = 1


def locators(folder: str) -> Locators:
    """Return what signs locators, with the keys in `folder`; the first one is made when there is none.

    Raises `UnsafePath` for a folder or file that others can read, `Corrupt` for a file that is no key file.
    """
    safety.private_folder(folder, create=True)
    path = os.path.join(folder, NAME)
    if not os.path.lexists(path):
        _write(path, {FIRST: os.urandom(KEY_BYTES)})
    keys = _read(path)
    return Locators(keys, max(keys))


def _read(path: str) -> dict[int, bytes]:
    descriptor = safety.open_private(path, os.O_RDONLY)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MAX_FILE_BYTES)
    try:
        stored: dict[str, str] = json.loads(data)["keys"]
        keys = {int(number): bytes.fromhex(key) for number, key in stored.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Corrupt(
            "the key file cannot be read", path=path, hint="Remove it: locators lose validity."
        ) from error
    if not keys or any(len(key) < KEY_BYTES or not 0 < number < 256 for number, key in keys.items()):
        raise Corrupt(
            "the key file holds no usable key", path=path, hint="Remove it: locators lose validity."
        )
    return keys


def _write(path: str, keys: dict[int, bytes]) -> None:
    """Write the file whole or not at all."""
    temporary = f"{path}.{os.getpid()}"
    descriptor = safety.open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"keys": {str(number): key.hex() for number, key in keys.items()}}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
