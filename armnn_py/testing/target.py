# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend under test: from the file or the id that somebody names to a runtime with it."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py._native.table.backend_options import OptionText
from armnn_py.backends.loader.checking import WHEN_CLOSED, check_file
from armnn_py.device_ids import device_id, split_id
from armnn_py.errors import BackendError, BackendSkippedWarning
from armnn_py.runtime import Runtime

if TYPE_CHECKING:
    from armnn_py.python_backend import PythonBackend


class Target(Struct, frozen=True):
    """Where the backend under test is: a file, or folders that are searched for an id.

    ``options`` are those of the backend, as text or values by name.
    """

    id: str
    folders: tuple[str, ...] = ()
    search: bool = False
    options: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what `Target` is made from again in another process."""
        return {
            "id": self.id,
            "folders": list(self.folders),
            "search": self.search,
            "options": self.options,
        }

    def runtime(
        self,
        *,
        with_others: bool = False,
        python_backends: Sequence[PythonBackend] = (),
        guard: bool | None = None,
    ) -> Runtime:
        """Make a runtime that has it; of a file it is alone there, unless others are wanted.

        ``guard``: whether its layers are checked in each run; see `Runtime`.
        """
        given = self.options or {}
        stated = {n: OptionText(v) if isinstance(v, str) else v for n, v in given.items()}
        options = {self.id: stated} if stated else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BackendSkippedWarning)
            if self.search:
                return Runtime(
                    list(self.folders) or None,
                    backend_options=options,
                    python_backends=python_backends,
                    guard=guard,
                )
            return Runtime(
                list(self.folders),
                bundled_backends=with_others,
                use_environment=False,
                backend_options=options,
                python_backends=python_backends,
                guard=guard,
                probe_seconds=0,  # `check_file` has tried it, with the time that the user gave
            )


class DiedAtLoadError(BackendError):
    """Loading or closing the file ends or halts the process; ``outcome`` says which."""

    outcome = "crashed"
    step = "create"


def _refuse_path(given: str, path: str) -> None:
    """Report a file that is not there; an id has neither a slash nor the end of a file's name."""
    if os.sep in given or path.endswith(".so"):
        what = "is not a regular file" if os.path.exists(path) else "does not exist"  # noqa: PTH110
        raise BackendError(
            f"file '{path}' {what}",
            hints=["the argument is the path of a backend's file, or the id of a backend"],
        )


@contextlib.contextmanager
def target_for(
    file_or_id: str | os.PathLike[str],
    folders: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    *,
    timeout: float = 10.0,
) -> Iterator[Target]:
    """Give the backend of a file, alone beside CpuRef, or the one that is found by its id.

    Parameters
    ----------
    file_or_id
        The path of a file that is there, else an id; either may end in the index of a device, as
        in ``"AcmeNpu:1"``.
    folders
        Where an id is looked for; the usual places if empty.
    options
        Of the backend.
    timeout
        Seconds for each step of loading the file.

    Raises
    ------
    BackendError
        The file is refused; `DiedAtLoadError` if its code ends the process or does not return.
    """
    given = None if options is None else dict(options)
    path, index = os.path.abspath(os.fspath(file_or_id)), 0  # noqa: PTH100
    if not os.path.isfile(path):  # noqa: PTH113
        path, index = split_id(path)
    if not os.path.isfile(path):  # noqa: PTH113
        _refuse_path(os.fspath(file_or_id), path)
        yield Target(os.fspath(file_or_id), tuple(folders), True, given)
        return
    verdict, _ = check_file(path, timeout=timeout)
    if verdict.status != "loaded" or verdict.id is None:
        words = f"'{path}' does not load, step {verdict.stage}: {verdict.reason}"
        is_closed = verdict.reason.startswith(WHEN_CLOSED)
        if is_closed:
            words = f"'{path}' loads, and does not close: {verdict.reason[len(WHEN_CLOSED) :]}"
        hints = [verdict.hint] if verdict.hint else []
        if verdict.code in ("died", "timed-out"):
            error = DiedAtLoadError(words, hints=hints)
            error.step = "close" if is_closed else "create"
            error.outcome = "hung" if verdict.code == "timed-out" else "crashed"
            raise error
        raise BackendError(words, hints=hints)
    # The file is the only place: no code of others runs beside it.
    yield Target(device_id(verdict.id, index), (path,), False, given)
