# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One search for backends: folders, files, probes in another process, and then loading.

Folders are listed, files inspected and tried without a lock: a slow or hanging file keeps nobody
else waiting. Only opening and creating are done one at a time in a process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from armnn_py import environment
from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader.admission import Admission, ids_of
from armnn_py.backends.loader.discovery import (
    BackendPath,
    FileIdentity,
    argument_paths,
    distinct_folders,
    find_candidates,
    refusal,
    split_path_list,
)
from armnn_py.backends.loader.dynamic_backend import load_file, load_python, load_static
from armnn_py.backends.loader.entry_points import entry_point_folders
from armnn_py.backends.loader.inspection import InspectedFile, inspect_file, judge_known_file
from armnn_py.backends.loader.naming import is_of_package
from armnn_py.backends.loader.shared_library import LOADING
from armnn_py.backends.loader.verdict import LoadReport, Place, RefusedError, Verdict
from armnn_py.interrupts import deferred_interrupts

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.given_options import OptionsOfCaller
    from armnn_py.backends.options.memory_request import MemoryRequest
    from armnn_py.backends.probe.gate import Examiner
    from armnn_py.backends.trust.rules import TrustRules
    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.python_backend.serving import Serving


def list_folders(
    argument: BackendPath | Sequence[BackendPath] | None, *, bundled: bool, use_environment: bool
) -> tuple[list[tuple[str, str]], list[Verdict]]:
    """Return the folders to search, and verdicts on entry points without a folder."""
    folders: list[tuple[str, str]] = []
    verdicts = []
    if argument is not None:
        folders += [("argument", path) for path in argument_paths(argument)]
    else:
        if use_environment:
            listed = environment.dynamic_backend_paths() or ""
            folders += [("environment", path) for path in split_path_list(listed)]
        compiled_in = dynamic_library.compiled_in_paths()
        folders += [("compiled-in", path) for path in split_path_list(compiled_in)]
        if not use_environment or environment.entry_points():
            for entry_point in entry_point_folders():
                folders += [(entry_point.label, path) for path in entry_point.folders]
                if entry_point.reason:
                    verdicts.append(
                        refusal(
                            entry_point.label,
                            entry_point.value,
                            "place",
                            "entry-point-invalid",
                            entry_point.reason,
                            f"reinstall '{entry_point.distribution}'",
                        )
                    )
    if bundled:
        # In an editable install the package has two folders, and the built files are in one.
        for folder in sys.modules["armnn_py"].__path__:
            own = os.path.join(folder, "_backends")
            if os.path.isdir(own):
                folders.append(("bundled", own))
    first_place_of: dict[str, str] = {}
    for place, path in folders:
        first_place_of.setdefault(path, place)
    return [(first_place_of[path], path) for path in distinct_folders(first_place_of)], verdicts


def list_places(
    dynamic_backends_path: BackendPath | Sequence[BackendPath] | None = None,
    *,
    enable_dynamic_backends: bool = True,
) -> tuple[LoadReport, list[str]]:
    """List what a runtime would search, and open nothing.

    Returns
    -------
    LoadReport
        With the places, and verdicts on those that cannot be searched.
    list
        ``<vendor>_<name>`` of each linked backend.
    """
    bundled = environment.bundled_backends()
    folders: list[tuple[str, str]] = []
    verdicts: list[Verdict] = []
    if enable_dynamic_backends and environment.dynamic_backends():
        folders, verdicts = list_folders(
            dynamic_backends_path, bundled=bundled, use_environment=True
        )
    places = []
    seen: dict[FileIdentity, str] = {}
    for label, path in folders:
        place, findings = find_candidates(label, path, seen)
        places.append(place)
        if not place.usable:
            verdicts += [one for one in findings if isinstance(one, Verdict)]
    statics = dynamic_library.static_backends() if bundled else []
    return LoadReport(verdicts, places), [f"{one.vendor}_{one.name}" for one in statics]


class Search:
    """A search for backends, with the results so far."""

    def __init__(
        self,
        options: OptionsOfCaller,
        memory_request: MemoryRequest,
        admission: Admission,
        examiner: Examiner,
        trust: TrustRules,
    ) -> None:
        self.options = options
        self.memory_request = memory_request
        self.admission = admission
        self.examiner = examiner
        self.trust = trust
        self.backends: dict[str, Backend] = {}
        self.verdicts: list[Verdict] = []
        self.places: list[Place] = []
        self._named: set[str] = set()  # files that the caller named, without links

    def add_python(self, backend: Serving | IsolatedBackend) -> None:
        """Load a backend written in Python or of a worker; call with ``LOADING`` held."""
        self._add(
            *load_python(
                backend,
                self.backends,
                self.options.values_for,
                memory_request=self.memory_request,
                admit=self.admission.check_id,
            )
        )

    def add_static(self) -> None:
        """Load what is linked into the library; call with ``LOADING`` held."""
        for static in dynamic_library.static_backends():
            self._add(
                *load_static(
                    static,
                    self.backends,
                    self.options.values_for,
                    memory_request=self.memory_request,
                    admit=self.admission.check_id,
                )
            )

    def add_files(self, folders: Iterable[tuple[str, str]]) -> None:
        """Load what is in folders; takes ``LOADING`` itself, and not while files are tried."""
        seen: dict[FileIdentity, str] = {}
        findings: list[Verdict | InspectedFile] = []
        for label, path in folders:
            place, found = find_candidates(label, path, seen)
            self.places.append(place)
            findings += [one if isinstance(one, Verdict) else InspectedFile(one) for one in found]
            if not os.path.isdir(path):
                self._named.update(one.real_path for one in found if one.real_path is not None)
        self._choose([one for one in findings if isinstance(one, InspectedFile)])
        with LOADING:
            for finding in findings:
                if isinstance(finding, Verdict):
                    self._add(finding, None)
                else:
                    self._add_file(finding)

    def close(self) -> None:
        """Destroy what was loaded, last first."""
        with LOADING:
            for backend in reversed(self.backends.values()):
                backend.close()

    def _add_file(self, file: InspectedFile) -> None:
        def admit(backend_id: str) -> None:
            self.admission.check_file(backend_id, file.candidate, self._named)

        # Ctrl-C between two lines would lose what was made; of a refused file nothing is.
        with deferred_interrupts() if file.refusal is None else nullcontext():
            self._add(
                *load_file(
                    file.candidate,
                    self.backends,
                    self.options.values_for,
                    memory_request=self.memory_request,
                    inspected=file,
                    admit=admit,
                )
            )

    def _add(self, verdict: Verdict, backend: Backend | None) -> None:
        self.verdicts.append(verdict)
        if backend is not None:
            self.backends[backend.id] = backend

    # ---- Which files are tried and opened -------------------------------------------------------

    def _choose(self, files: list[InspectedFile]) -> None:
        """Inspect and try the files that are wanted; the others get a refusal."""
        open_to_all = []
        for file in files:
            try:
                self.admission.check_name(file.candidate.path)
                open_to_all.append(file)
            except RefusedError as refused:
                file.refusal = refused
        wanted = self.admission.wanted
        if wanted is None:
            self._examine(open_to_all)
        else:
            self._choose_wanted(open_to_all, wanted - set(self.backends))

    def _choose_wanted(self, files: list[InspectedFile], missing: frozenset[str]) -> None:
        """Go by the name of a file, or by its id where a probe has told that.

        Files whose names say nothing are tried only if some backend is still missing.
        """
        # Without a linked backend the package's own ones have to be there: constants are folded
        # on the reference.
        keeps_bundled = not dynamic_library.static_backends()
        by_name: list[InspectedFile] = []
        others: list[InspectedFile] = []
        for file in files:
            is_kept = file.candidate.place == "bundled" and keeps_bundled
            is_named = bool(missing.intersection(ids_of(file.candidate.path)))
            (by_name if is_kept or is_named else others).append(file)
        self._examine(by_name)
        tried = by_name
        if missing - {name for file in by_name for name in _ids_known(file)}:
            # A file of the package calls itself by its name.
            unclear = [file for file in others if file.candidate.place != "bundled"]
            self._examine(unclear)
            tried = by_name + unclear
        for file in files:
            known = file.finding.id if file.finding is not None else None
            if file not in tried or (known is not None and known not in missing):
                file.refusal = self.admission.not_wanted()

    def _examine(self, files: list[InspectedFile]) -> None:
        self.examiner.examine(files, self._inspect)

    def _inspect(self, file: InspectedFile) -> None:
        if file.finding is not None and not file.finding.is_good:
            file.refusal = judge_known_file(file, self.trust)
            return
        is_own = is_of_package(file.candidate.real_path)
        inspected = inspect_file(file.candidate, None if is_own else self.trust)
        file.info, file.refusal = inspected.info, inspected.refusal
        file.warnings = inspected.warnings
        file.private = self.admission.is_private(file.candidate.path)


def _ids_known(file: InspectedFile) -> tuple[str, ...]:
    """The id that a file told in its probe; the ids of its name if it told none."""
    if file.finding is not None and file.finding.id is not None:
        return (file.finding.id,)
    return ids_of(file.candidate.path)
