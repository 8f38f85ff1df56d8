# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Writes the calls of a runtime's isolated backends to recordings."""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Literal

from armnn_py import environment
from armnn_py._native import abi
from armnn_py.cache_files import check_own_folder
from armnn_py.caller import caller_level
from armnn_py.errors import ArmnnError, ArmnnWarning, InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from armnn_py.isolation.events import WorkerEvent
    from armnn_py.isolation.worker import KeptCall, KeptPart, Worker
    from armnn_py.recording.container import Recording
    from armnn_py.tensors import TensorInfo

_log = logging.getLogger("armnn_py.isolation")
#: Of the calls of one execution context in a recording that was asked for.
_MOST_BYTES = 1 << 30
#: Recordings of ends of workers: of one, of all together, and how many there are.
_LARGEST_END = 256 << 20
_ALL_ENDS = 1 << 30
_MOST_ENDS = 20


def recorder_of(
    record: str | os.PathLike[str] | bool | None, *, use_environment: bool
) -> FileRecorder | None:
    """The recorder for the argument ``record`` of `Runtime`; None: nothing is recorded.

    Raises
    ------
    InvalidArgumentError
        It is not the path of a file that can be written.
    """
    if record is None and use_environment:
        record = environment.record()
    if record is False:
        return None
    if record is True or not isinstance(record, str | os.PathLike | None):
        raise InvalidArgumentError(
            f"record: {record!r} given, the path of a file or False expected"
        )
    cache = environment.cache_folder() if use_environment else None
    return FileRecorder(
        None if record is None else os.fsdecode(record),
        None if cache is None else f"{cache}/recordings",
    )


class FileRecorder:
    """The recorder of one runtime.

    Parameters
    ----------
    file
        Gets all calls at `write`; None: only ends of workers are recorded.
    folder
        Gets a file for each end of a worker; None: none is recorded.

    Raises
    ------
    InvalidArgumentError
        ``file`` lies in no folder, or is one.

    Attributes
    ----------
    written
        ``file``, once `write` has written it.
    """

    def __init__(self, file: str | None, folder: str | None) -> None:
        if file is not None:
            file = os.path.abspath(file)  # noqa: PTH100
            if os.path.isdir(file) or not os.path.isdir(os.path.dirname(file)):  # noqa: PTH112, PTH120
                raise InvalidArgumentError(f"record: '{file}' is not a file that can be written")
        self.file = file
        self.written: str | None = None
        self._folder = folder
        self.most_bytes = 0 if file is None else _MOST_BYTES
        self._lock = threading.Lock()
        self._backends: dict[str, dict[str, Any]] = {}
        self._calls: list[KeptCall] = []
        self._end: dict[str, Any] = {}

    def isolate(self, *, use_environment: bool) -> Literal["all"] | None:
        """The backends that are isolated to be recorded, where the caller names none."""
        named = environment.isolated_backends() if use_environment else None
        return None if self.file is None or named else "all"

    def add(self, backend: Worker, calls: Sequence[KeptCall]) -> None:
        """Add calls to those that `write` writes."""
        if self.file is not None and calls:
            with self._lock:
                self._backends[backend.id] = _described(backend)
                self._calls += calls

    def write(self) -> None:
        """Write the calls to the file.

        Raises
        ------
        InvalidArgumentError
            It cannot be written.
        """
        if self.file is None:
            return
        with self._lock:
            calls, self._calls = self._calls, []
        if calls:
            from armnn_py.recording.container import write_recording

            write_recording(_recording(self._backends, (), calls, self._end), self.file)
            self.written = self.file
        elif not self._backends:
            warnings.warn(
                f"nothing is recorded in '{self.file}': no isolated backend ran a layer",
                ArmnnWarning,
                stacklevel=caller_level(),
            )

    def record_end(
        self,
        backend: Worker,
        parts: Sequence[KeptPart],
        calls: Sequence[KeptCall],
        event: WorkerEvent,
    ) -> str | None:
        """Write what a worker did when it ended; see `armnn_py.isolation.worker.Recorder`."""
        end = {
            "backend": backend.id,
            "reason": event.reason,
            "signal": event.signal,
            "exit_status": event.exit_status,
            "lines": [_without_folders(line, backend.file) for line in event.lines],
        }
        with self._lock:
            self._end = end
        if self._folder is None:
            return None
        from armnn_py.recording.container import write_recording

        moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(event.time))
        name = f"{backend.id}-{moment}-{os.getpid()}-{time.monotonic_ns() % 100000}.zip"

        from pathlib import Path

        path = Path(self._folder, name)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_own_folder(path.parent)
            made = _recording({backend.id: _described(backend)}, parts, calls, end)
            if _size(made) > _LARGEST_END:
                _log.info("the end of a worker is not recorded: it is larger than 256 MiB")
                return None
            write_recording(made, str(path))
            _remove_oldest(path)
        except (OSError, ArmnnError) as error:
            _log.info("the end of a worker is not recorded: %s", error)
            return None
        return str(path)


def _described(backend: Worker) -> dict[str, Any]:
    """A backend as a vendor knows it: no path, no secret option."""
    secret = {one["name"] for one in backend.facts["options"] if one["secret"]}

    from pathlib import Path

    found: dict[str, Any] = {
        "version": str(backend.facts["version"]),
        "file": None if backend.file is None else Path(backend.file).name,
        "sha256": None,
        "options": {name: one for name, one in backend.options.items() if name not in secret},
        "secret_options": sorted(secret),
    }
    if backend.file is not None:
        with contextlib.suppress(OSError), Path(backend.file).open("rb") as stream:
            from armnn_py.backends.trust.file_hash import sha256_of

            found["sha256"] = sha256_of(stream.fileno())
    return found


def _recording(
    backends: Mapping[str, dict[str, Any]],
    parts: Sequence[KeptPart],
    calls: Sequence[KeptCall],
    end: dict[str, Any],
) -> Recording:
    from armnn_py.optimizer.measuring.measured_times import processor_name
    from armnn_py.recording.container import RecordedCall, RecordedPart, Recording

    kept = {part.key: part for part in (*parts, *(call.part for call in calls))}
    secret = {name: about["secret_options"] for name, about in backends.items()}
    networks: dict[int, tuple[int, RecordedPart]] = {}
    for number, (key, part) in enumerate(kept.items()):
        _, network, options = part.request.payload
        shown = {name: one for name, one in options.items() if name not in secret[part.backend]}
        networks[key] = number, RecordedPart(part.backend, network, shown, part.has_state)
    made = []
    for call in calls:
        number, of = networks[call.part.key]
        is_ok = call.status == abi.ARMNN_STATUS_OK
        is_end = call.status in (abi.ARMNN_STATUS_DEVICE_LOST, abi.ARMNN_STATUS_CANCELLED)
        made.append(
            RecordedCall(
                number,
                call.context,
                call.begins,
                "ok" if is_ok else "ended" if is_end else "failed",
                _arrays(call.inputs, of.network.inputs.values()),
                _arrays(call.outputs, of.network.outputs.values()) if is_ok else [],
            )
        )
    host = {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "processor": processor_name().rpartition("\t: ")[2],
    }
    return Recording(dict(backends), [part for _, part in networks.values()], made, end, host)


def _arrays(data: bytes, infos: Iterable[TensorInfo]) -> list[NDArray[Any]]:
    import numpy as np  # late: most programs record nothing

    arrays, at = [], 0
    for info in infos:
        view = np.frombuffer(data, np.uint8, info.byte_size, at)
        arrays.append(view.view(info.dtype).reshape(info.static_shape))
        at += info.byte_size
    return arrays


def _size(recording: Recording) -> int:
    tensors = [one.nbytes for call in recording.calls for one in (*call.inputs, *call.outputs)]
    constants = [
        layer.value.nbytes
        for part in recording.parts
        for layer in part.network.layers
        if hasattr(layer, "value")
    ]
    return int(sum(tensors)) + int(sum(constants))


def _without_folders(line: str, file: str | None) -> str:
    """A line of a worker without the folders of the backend and of the user."""
    from pathlib import Path

    if file is not None:
        line = line.replace(f"{Path(file).parent}/", "")
    return line.replace(str(Path.home()), "~")


def _remove_oldest(newest: Path) -> None:
    """Keep so many recordings, and so many bytes of them."""
    files = sorted(newest.parent.glob("*.zip"), key=lambda one: one.stat().st_mtime, reverse=True)
    total = 0
    for number, file in enumerate(files):
        total += file.stat().st_size
        if file != newest and (number >= _MOST_ENDS or total > _ALL_ENDS):
            file.unlink(missing_ok=True)
