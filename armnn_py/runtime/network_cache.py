# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A folder of optimised networks, so that `load` imports and optimises a model only once.

The name of a file is a sum over all that its network depends on: the bytes of the model, the
arguments, the backends with their versions, files and options, this package and the processor.
Whatever changes gives another name, and what is not used any more is removed when there is too
much of it. A file is written under another name and renamed when it is complete, so that two
processes may do so at once; one that is damaged is removed, and the model is imported again.

A cache is optional. A folder that cannot be used is told in one line, and the model is imported.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import hashlib
import logging
import os
import reprlib
import stat
import time
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from armnn_py import environment
from armnn_py._version import __version__
from armnn_py.cache_files import UnfitFileError, check_own, check_own_folder, read_file
from armnn_py.errors import ArmnnError, InvalidArgumentError, ShortageError, StagesNeededError
from armnn_py.network import Network
from armnn_py.optimizer import OptimizedNetwork, Placement
from armnn_py.optimizer.measuring.measured_times import backend_identity, machine_name
from armnn_py.optimizer.saved.write import save_network
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.runtime.runtime import Runtime

MOST_BYTES = 4 << 30
"""How many bytes of networks a folder may hold; then those go that were used longest ago."""

_log = logging.getLogger("armnn_py.runtime")
_SUFFIX = ".armnnpy"
_SUFFIXES = (_SUFFIX, ".armnn")  # the second: written by earlier versions
_OLD_SECONDS = 86400.0  # an unfinished file this old was left by a crash
_IN_OTHER_FILES = b"location"  # what the bytes of an ONNX model contain that has external data


def through_cache(
    place: str | os.PathLike[str] | bool | None,
    model: object,
    arguments: Mapping[str, object],
    runtime: Runtime,
    make: Callable[[], OptimizedNetwork],
) -> OptimizedNetwork:
    """Return the network of a cache folder, or make it and keep it there.

    Parameters
    ----------
    place
        The folder; True: ``networks`` in the user's cache folder.
    model
        The path of a model's file, or its bytes; anything else is made, and not kept.
    arguments
        All else that decides how the network is made.
    runtime
        The runtime with the backends.
    make
        Imports and optimises the model.

    Raises
    ------
    InvalidArgumentError
        ``place`` is not a path.
    """
    if place is True:
        folder = environment.cache_folder()
        if folder is None:
            _log.warning(
                "the optimised network is not kept: neither XDG_CACHE_HOME nor HOME is set"
            )
            return make()
        place = os.path.join(folder, "networks")  # noqa: PTH118
    if not isinstance(place, str | os.PathLike) or not os.fspath(place):
        raise InvalidArgumentError(
            f"cache: {reprlib.repr(place)} given, True or the path of a folder expected"
        )
    if isinstance(model, Network):
        return make()
    if arguments.get("placement") is not None:
        rules = Placement.of(arguments["placement"])  # type: ignore[arg-type]
        arguments = {**arguments, "placement": rules}  # of a file, what is in it
    cache = NetworkCache(Path(os.fsdecode(place)), model, arguments, runtime)
    optimized = cache.find()
    if optimized is None:
        optimized = make()
        cache.keep(optimized)
    return optimized


class NetworkCache:
    """The file of one model in a cache folder; it is used where it fits and never in the way.

    Parameters
    ----------
    folder
        Made if it is not there.
    model
        The path of a model's file, or its bytes.
    arguments
        All else that `load` was given.
    runtime
        The runtime with the backends.
    most_bytes
        How much the folder may hold.
    """

    def __init__(
        self,
        folder: Path,
        model: object,
        arguments: Mapping[str, object],
        runtime: Runtime,
        *,
        most_bytes: int | None = None,
    ) -> None:
        self._folder = folder
        self._most_bytes = MOST_BYTES if most_bytes is None else most_bytes
        self._runtime = runtime
        self.file: Path | None = None
        try:
            self.file = folder / (_key(model, arguments, runtime) + _SUFFIX)
        except _NotKept as reason:
            _log.info("the optimised network is not kept: %s", printable(str(reason)))

    def find(self) -> OptimizedNetwork | None:
        """Return the network, or None if it is not there or not sound."""
        if self.file is None:
            return None
        try:
            status = self.file.lstat()
            check_own_folder(self._folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._give_up(error)
            return None
        try:
            if stat.S_ISLNK(status.st_mode):  # the cache makes none
                raise UnfitFileError("it is a link")
            check_own(status)
            optimized = OptimizedNetwork.load(self.file, runtime=self._runtime)
        except ShortageError:
            raise  # the file may be sound
        except (ArmnnError, UnfitFileError) as error:
            words = error.message if isinstance(error, ArmnnError) else str(error)
            _log.warning("a network of the cache is not used and made anew: %s", printable(words))
            with contextlib.suppress(OSError):
                self.file.unlink()
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read
            # The time of its change stays: by it one sees that its sums were right before.
            os.utime(self.file, ns=(time.time_ns(), self.file.stat().st_mtime_ns))
        return optimized

    def keep(self, optimized: OptimizedNetwork) -> None:
        """Write a network, if it can be; what is too much in the folder goes."""
        if self.file is None:
            return
        if optimized.is_dynamic and not optimized.contents.stages:
            _log.info("the optimised network is not kept: it has free dimensions")
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_own_folder(self._folder)
            save_network(
                optimized,
                self.file,
                keep_subgraphs=False,  # the model is there
                mode=0o600,  # `find` believes no file that others may write to
            )
            self._evict()
        except StagesNeededError as error:
            _log.info("the optimised network is not kept: %s", printable(error.message))
        except (ArmnnError, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: ArmnnError | OSError) -> None:
        """Tell in one line why the cache is not used, and leave it alone from now on."""
        self.file = None
        words = error.message if isinstance(error, ArmnnError) else error.strerror or str(error)
        _log.warning(
            "the optimised network is not kept in '%s': %s",
            printable(str(self._folder)),
            printable(words),
        )

    def _evict(self) -> None:
        """Remove files until the others are few enough, those used longest ago first."""
        now = time.time()
        found: list[tuple[float, int, Path]] = []
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError):  # another process has removed it
                status = path.stat()
                if path.suffix in _SUFFIXES and len(path.stem) == _KEY_LENGTH:
                    used = max(status.st_atime, status.st_mtime)
                    found.append((used, status.st_size, path))
                elif (
                    path.name.endswith(".tmp")
                    and f"{_SUFFIX}." in path.name
                    and now - status.st_mtime > _OLD_SECONDS
                ):
                    path.unlink()
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._most_bytes:
                break
            if path != self.file:
                with contextlib.suppress(OSError):
                    path.unlink()
                total -= size


# ---- Keys ----------------------------------------------------------------------------------------

_KEY_LENGTH = 64


class _NotKept(Exception):  # noqa: N818
    """Why a network cannot be kept."""


def _key(model: object, arguments: Mapping[str, object], runtime: Runtime) -> str:
    backends = []
    for name in runtime.backends:
        backend = runtime.backends[name]
        if backend.may_call_python:
            raise _NotKept(
                f"backend '{name}' has parts in Python, whose changes the cache cannot see"
            )
        backends.append(backend_identity(backend))
    total = hashlib.sha256()
    facts = (__version__, machine_name(), tuple(backends), arguments)
    total.update(_text(facts).encode("utf-8", "surrogatepass"))
    data: Any = model
    try:
        if isinstance(model, str | os.PathLike):
            data = read_file(os.fsdecode(model), MOST_BYTES)
    except (OSError, ValueError) as error:  # whoever imports it says so
        raise _NotKept(str(error)) from None
    if not isinstance(data, bytes | bytearray):
        raise _NotKept(f"the model is given as {type(model).__name__}")
    if _IN_OTHER_FILES in data:
        raise _NotKept("the model may have weights in other files")
    total.update(hashlib.sha256(data).digest())
    return total.hexdigest()


def _text(value: object) -> str:
    """A text for a value; unequal values have different ones.

    Raises
    ------
    _NotKept
        It is of another kind than arguments have.
    """
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return f"{type(value).__name__}:{value!r}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, os.PathLike):
        return f"path:{os.fsdecode(value)!r}"
    if isinstance(value, Mapping):
        pairs = sorted((_text(key), _text(item)) for key, item in value.items())
        return "{" + ",".join(f"{key}={item}" for key, item in pairs) + "}"
    if isinstance(value, Set):
        return "<" + ",".join(sorted(map(_text, value))) + ">"
    if isinstance(value, Sequence):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, Struct):
        return type(value).__name__ + _text(structs.asdict(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = {
            one.name: getattr(value, one.name) for one in dataclasses.fields(value) if one.compare
        }
        return type(value).__name__ + _text(own)
    raise _NotKept(f"an argument is of type {type(value).__name__}")
