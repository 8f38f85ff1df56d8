# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The file of a recording: a zip archive of saved networks and ``.npz`` files, with an index."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field

from armnn_py._version import __version__
from armnn_py.errors import ArmnnError, InvalidArgumentError, ModelFileNotFoundError, ParseError
from armnn_py.optimizer.saved.read import read_network
from armnn_py.optimizer.saved.write import save_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from armnn_py.network import Network, NetworkStorage

_FORMAT, _VERSION = "armnn_py recording", 1
_INDEX = "recording.json"
#: More bytes of a member are damage, or an attack.
_MOST_BYTES = 1 << 34
Status = str


class RecordedPart(Struct, frozen=True):
    """A sub-graph.

    Attributes
    ----------
    backend
        Id of the backend.
    network
        Its layers and their constants.
    model_options
        For the backend, without secret ones.
    has_state
        Whether a run leaves something for the next.
    """

    backend: str
    network: NetworkStorage
    model_options: dict[str, Any]
    has_state: bool


class RecordedCall(Struct, frozen=True):
    """One run of a sub-graph.

    Attributes
    ----------
    part
        Index of the sub-graph.
    context
        Number of its execution context.
    begins
        Whether its sub-graph keeps nothing of earlier calls.
    status
        ``"ok"``; ``"failed"``: the backend gave an error; ``"ended"``: its process ended.
    inputs, outputs
        Arrays in the order of the network's inputs and outputs; no outputs unless it is ok.
    """

    part: int
    context: int
    begins: bool
    status: Status
    inputs: list[NDArray[Any]]
    outputs: list[NDArray[Any]]


class Recording(Struct, frozen=True):
    """The contents of a file.

    Attributes
    ----------
    backends
        By id: version, file, SHA-256 of the file, options, and the names of secret options.
    parts, calls
        Sub-graphs, and their runs in order.
    end
        How the worker ended: reason, signal, exit status, its last lines; empty: it did not.
    host
        Versions of the system and of Python, and the processor.
    written_by
        The version of armnn_py.
    """

    backends: dict[str, dict[str, Any]]
    parts: list[RecordedPart]
    calls: list[RecordedCall]
    end: dict[str, Any]
    host: dict[str, str]
    written_by: str = field(default=__version__)


# ---- Writing -------------------------------------------------------------------------------------


def write_recording(recording: Recording, path: str) -> None:
    """Write a file under another name, and rename it.

    Raises
    ------
    InvalidArgumentError
        It cannot be written.
    """
    folder, name = os.path.split(os.path.realpath(path))
    try:
        with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder) as work:
            made = Path(work, "recording.zip")
            with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
                _write_members(archive, recording, Path(work, "part.armnnpy"))
            made.chmod(0o600)
            made.replace(path)
    except OSError as error:
        raise InvalidArgumentError(
            f"the recording cannot be written to '{path}': {error.strerror or error}"
        ) from error


def _write_members(archive: zipfile.ZipFile, recording: Recording, work: Path) -> None:
    index: dict[str, Any] = {
        "format": _FORMAT,
        "format_version": _VERSION,
        "written_by": recording.written_by,
        "host": recording.host,
        "backends": recording.backends,
        "end": recording.end,
        "parts": [],
        "calls": [],
    }
    for number, part in enumerate(recording.parts):
        about = recording.backends[part.backend]
        save_plain(part.network, part.backend, "", str(about.get("version") or ""), str(work))
        member = f"parts/{number}.armnnpy"
        archive.write(work, member)
        index["parts"].append(
            {
                "backend": part.backend,
                "network": member,
                "model_options": part.model_options,
                "has_state": part.has_state,
            }
        )
    for number, call in enumerate(recording.calls):
        member = f"calls/{number}.npz"
        arrays = {f"input {i}": one for i, one in enumerate(call.inputs)}
        arrays |= {f"output {i}": one for i, one in enumerate(call.outputs)}
        stream = io.BytesIO()
        np.savez(stream, allow_pickle=False, **arrays)
        archive.writestr(member, stream.getbuffer())
        index["calls"].append(
            {
                "part": call.part,
                "context": call.context,
                "begins": call.begins,
                "status": call.status,
                "tensors": member,
            }
        )
    archive.writestr(_INDEX, json.dumps(index, indent=1))


# ---- Reading -------------------------------------------------------------------------------------


def read_recording(path: str) -> Recording:
    """Read a file; nothing in it is executed, and no backend is asked.

    Raises
    ------
    ModelFileNotFoundError
        The file is missing.
    ParseError
        It is not a recording, is damaged, or is of a later version.
    """
    with _damage_in(path), zipfile.ZipFile(path) as archive:
        index = json.loads(_member(archive, _INDEX))
        if index.get("format") != _FORMAT:
            raise ValueError(f"'{_INDEX}' has another format")
        if index["format_version"] > _VERSION:
            raise ParseError(
                f"recording '{path}' was written by armnn_py {str(index['written_by'])[:40]}, "
                "which is newer than this one",
                path=path,
                hints=["update armnn_py"],
            )
        parts = [_part(archive, one) for one in index["parts"]]
        for part in parts:
            if not isinstance(index["backends"][part.backend], dict):
                raise TypeError(f"backend '{part.backend}' is not described")
        return Recording(
            index["backends"],
            parts,
            [_call(archive, one, parts) for one in index["calls"]],
            dict(index["end"]),
            dict(index["host"]),
            str(index["written_by"]),
        )


@contextlib.contextmanager
def _damage_in(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise ModelFileNotFoundError(f"the recording '{path}' does not exist", path=path) from error
    except ParseError as error:
        if error.path == path:
            raise
        raise _damaged(path, error.message) from error
    except (
        ArmnnError, OSError, EOFError, ValueError, TypeError, KeyError, IndexError, AttributeError,
        NotImplementedError, RuntimeError, zipfile.BadZipFile,
    ) as error:  # fmt: skip
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise _damaged(path, why or type(error).__name__) from error


def _damaged(path: str, why: str) -> ParseError:
    return ParseError(f"'{path}' is not a sound recording: {why}", path=path)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"member '{name}' is too large")
    return archive.read(name)


def _part(archive: zipfile.ZipFile, index: Mapping[str, Any]) -> RecordedPart:
    with tempfile.TemporaryDirectory(prefix="armnn-py-") as folder:
        file = Path(folder, "part.armnnpy")
        file.write_bytes(_member(archive, index["network"]))
        network = read_network(str(file), in_place=False).network
    options = index["model_options"]
    if not isinstance(options, dict):
        raise TypeError("model options are not named")
    return RecordedPart(str(index["backend"]), network, options, bool(index["has_state"]))


def _call(
    archive: zipfile.ZipFile, index: Mapping[str, Any], parts: list[RecordedPart]
) -> RecordedCall:
    number, status = int(index["part"]), index["status"]
    if not 0 <= number < len(parts) or status not in ("ok", "failed", "ended"):
        raise ValueError(f"a call of sub-graph {number} with status {status!r}")
    network: Network = parts[number].network  # type: ignore[assignment]
    with np.load(io.BytesIO(_member(archive, index["tensors"])), allow_pickle=False) as arrays:
        inputs = _arrays(arrays, "input", network.inputs)
        outputs = _arrays(arrays, "output", network.outputs) if status == "ok" else []
    return RecordedCall(
        number, int(index["context"]), bool(index["begins"]), status, inputs, outputs
    )


def _arrays(arrays: Mapping[str, Any], kind: str, infos: Mapping[str, Any]) -> list[NDArray[Any]]:
    found = []
    for number, info in enumerate(infos.values()):
        array = arrays[f"{kind} {number}"]
        if array.shape != info.static_shape or array.dtype != info.dtype:
            raise ValueError(f"{kind} {number} is {array.dtype} of shape {array.shape}, not {info}")
        found.append(array)
    return found
