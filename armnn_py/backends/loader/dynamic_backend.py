# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From one candidate file, or one backend without a file, to a backend or a reason.

The steps *inspect*, *open*, *symbols*, *id*, *version*, *unique*, *table* and *create*; the first
that fails gives the verdict. A failed load leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py import environment
from armnn_py._native.process import noted_calls
from armnn_py._native.process.process_state import KeptState
from armnn_py._native.table import backend_table, dynamic_library
from armnn_py._native.table.guarded_calls import take_interruption
from armnn_py.backends.loader import shared_library
from armnn_py.backends.loader.identity import BackendVersion, check_version, find_exports, read_id
from armnn_py.backends.loader.inspection import InspectedFile, inspect_file
from armnn_py.backends.loader.naming import is_of_package, parse_file_name
from armnn_py.backends.loader.opening import open_device, words_on_changes
from armnn_py.backends.loader.source import BackendSource, OptionsFor
from armnn_py.backends.loader.verdict import RefusedError, Stage, Status, Verdict, printable
from armnn_py.backends.options.memory_request import MemoryRequest
from armnn_py.backends.probe.findings import ProbeFinding, fault_of, untried_part
from armnn_py.backends.trust.links import mapped_elsewhere
from armnn_py.errors.shortage import reason_of
from armnn_py.interrupts import deferred_interrupts

if TYPE_CHECKING:
    from armnn_py._native.python_backend.python_table import PythonTable
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.loader.discovery import Candidate
    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.python_backend.serving import Serving

_log = logging.getLogger("armnn_py.backends")

# Called with each step before it begins: in most steps the file's code can end the process.
OnStep = Callable[[Stage], None]

# Called with the id of a backend; raises RefusedError if that must not be used.
Admit = Callable[[str], None]

# No allocators given: every backend uses its own memory.
NO_REQUEST = MemoryRequest()

_NEEDED_MISSING = r"^(\S+): cannot open shared object file"
_UNDEFINED = r"undefined symbol: (\S+)"


def _unseen(_step: Stage) -> None:
    pass


def _everybody(_backend_id: str) -> None:
    pass


class Attempt(Struct, eq=False):
    """One try to load a backend; collects the facts that the steps find.

    ``unloadable`` says whether the library may be closed if the try fails: not if it asks to stay,
    nor after a call that showed that it does not follow this API.
    """

    place: str
    path: str
    real_path: str | None = None
    id: str | None = None
    version: BackendVersion | None = None
    unloadable: bool = True
    on_step: OnStep = _unseen
    finding: ProbeFinding | None = None
    is_noted: bool = False

    def refused(self, refusal: RefusedError) -> Verdict:
        """Return the verdict of a step that failed."""
        return self.verdict(
            refusal.status, refusal.stage, refusal.code, refusal.reason, refusal.hint
        )

    def verdict(
        self, status: Status, stage: Stage, code: str, reason: str = "", hint: str = ""
    ) -> Verdict:
        """Return the verdict with the facts known so far."""
        version = None if self.version is None else str(self.version)
        return Verdict(
            self.place,
            self.path,
            self.real_path,
            self.id,
            version,
            status,
            stage,
            code,
            printable(reason),
            printable(hint),
            self.finding,
        )


def load_file(
    candidate: Candidate,
    taken: Mapping[str, Backend],
    options_for: OptionsFor,
    *,
    memory_request: MemoryRequest = NO_REQUEST,
    on_step: OnStep = _unseen,
    inspected: InspectedFile | None = None,
    admit: Admit = _everybody,
) -> tuple[Verdict, Backend | None]:
    """Load one file; ``taken`` has the backends so far. Call with ``LOADING`` held.

    ``inspected`` has what earlier steps found; without it the file is inspected now, and its probe
    in another process is left out. ``admit`` is called with the id.
    """
    attempt = Attempt(candidate.place, candidate.path, candidate.real_path, on_step=on_step)
    on_step("inspect")
    file = inspect_file(candidate) if inspected is None else inspected
    try:
        _check_inspection(attempt, file, admit)
    except RefusedError as refusal:  # its code never runs, so no crash can name it
        return attempt.refused(refusal), None
    if is_of_package(candidate.real_path):
        return _load_file(attempt, file, taken, options_for, memory_request, admit)
    if environment.crash_report():
        noted_calls.report_fatal_signals()
    with noted_calls.Steps() as steps:

        def note(step: Stage) -> None:
            steps.begin(f"step '{step}' of loading {candidate.real_path}")

        def begin(step: Stage) -> None:
            on_step(step)
            note(step)

        note("inspect")
        attempt.on_step = begin
        attempt.is_noted = True
        return _load_file(attempt, file, taken, options_for, memory_request, admit)


def _load_file(
    attempt: Attempt,
    file: InspectedFile,
    taken: Mapping[str, Backend],
    options_for: OptionsFor,
    memory_request: MemoryRequest,
    admit: Admit,
) -> tuple[Verdict, Backend | None]:
    candidate = file.candidate
    kept = KeptState()
    elsewhere: list[str] = []
    try:
        assert file.info is not None
        if not file.private:
            elsewhere = mapped_elsewhere(file.info, candidate.real_path)
        is_own = is_of_package(candidate.real_path)
        mark = file.mark or contextlib.nullcontext()
        with mark, contextlib.nullcontext() if is_own else kept:
            backend = _open_and_load(attempt, file, taken, options_for, memory_request, admit)
    except RefusedError as refusal:
        refusal.hint = "; ".join(filter(None, [refusal.hint, *words_on_changes(kept)]))
        return attempt.refused(refusal), None
    notes = [*file.warnings, *elsewhere, *words_on_changes(kept)]
    if attempt.finding is not None:
        notes += filter(None, [untried_part(attempt.finding)])
        parts = [part for part in attempt.finding.changes if part not in kept.changes]
        notes += [f"its code changed {', '.join(parts)} in its probe"] if parts else []
    _warn(candidate.path, notes)
    name = parse_file_name(candidate.path.rpartition("/")[2])
    if name is not None and backend.id not in (name.name, f"{name.vendor}_{name.name}"):
        notes.append(f"the file name says '{name.name}', the backend calls itself '{backend.id}'")
    return attempt.verdict("loaded", "create", "ok", hint="; ".join(notes)), backend


def _open_and_load(
    attempt: Attempt,
    file: InspectedFile,
    taken: Mapping[str, Backend],
    options_for: OptionsFor,
    memory_request: MemoryRequest,
    admit: Admit,
) -> Backend:
    attempt.on_step("open")
    _log.debug("opening %s", printable(file.candidate.path))
    library = None
    try:
        with deferred_interrupts():
            library = _open(file)
        attempt.on_step("symbols")
        exports = find_exports(library.handle)
        return _load(attempt, exports, library, taken, options_for, memory_request, admit=admit)
    except BaseException:
        if library is not None:
            shared_library.release(library, unloadable=attempt.unloadable)
        raise


_told: set[tuple[str, str]] = set()


def _warn(path: str, notes: list[str]) -> None:
    """Log what is odd about a file that is used, loudly for the first time in a process."""
    for note in notes:
        level = logging.DEBUG if (path, note) in _told else logging.WARNING
        _told.add((path, note))
        _log.log(level, "%s: %s", printable(path), printable(note))


def load_static(
    static: dynamic_library.StaticBackend,
    taken: Mapping[str, Backend],
    options_for: OptionsFor,
    *,
    memory_request: MemoryRequest = NO_REQUEST,
    admit: Admit = _everybody,
) -> tuple[Verdict, Backend | None]:
    """Load a backend that is linked into the core library. Call with ``LOADING`` held."""
    attempt = Attempt("static", f"{static.vendor}_{static.name}")
    try:
        backend = _load(
            attempt, static.exports, None, taken, options_for, memory_request, admit=admit
        )
    except RefusedError as refusal:
        return attempt.refused(refusal), None
    return attempt.verdict("loaded", "create", "ok"), backend


def load_python(
    serving: Serving | IsolatedBackend,
    taken: Mapping[str, Backend],
    options_for: OptionsFor,
    *,
    memory_request: MemoryRequest = NO_REQUEST,
    admit: Admit = _everybody,
) -> tuple[Verdict, Backend | None]:
    """Load a backend that is written in Python. Call with ``LOADING`` held."""
    from armnn_py._native.python_backend.python_table import PythonTable

    attempt = Attempt(serving.place, serving.path, serving.file)
    table = PythonTable(serving)
    take_interruption()  # of a call whose caller did not look
    try:
        with deferred_interrupts():
            backend = _load(
                attempt,
                table.exports,
                None,
                taken,
                options_for,
                memory_request,
                python_table=table,
                admit=admit,
            )
    except RefusedError as refusal:
        interruption = take_interruption()
        if interruption is not None:  # Ctrl-C while it was opened
            raise interruption from None
        return attempt.refused(refusal), None
    return attempt.verdict("loaded", "create", "ok"), backend


# ---- inspect, open ------------------------------------------------------------------------------


def _check_inspection(attempt: Attempt, file: InspectedFile, admit: Admit) -> None:
    """Raise `RefusedError` if the file must not be opened."""
    attempt.finding = found = file.finding
    try:
        if file.refusal is not None:
            raise file.refusal
        if found is not None:
            fault = fault_of(found)
            if fault is not None:
                raise RefusedError(fault.stage, fault.code, fault.reason, fault.hint)
            if found.id is not None:
                admit(found.id)
    except RefusedError:
        if found is not None:  # the file itself is not asked
            attempt.id = None if found.id is None else printable(found.id)
            attempt.version = None if found.version is None else BackendVersion(*found.version)
        raise


def _open(file: InspectedFile) -> shared_library.SharedLibrary:
    path = file.candidate.real_path
    assert file.info is not None
    by_name = file.info.asks_where_it_lies or is_of_package(path)
    try:
        return shared_library.acquire(path, file.info.state, by_name=by_name, private=file.private)
    except shared_library.FileChangedError as error:
        hint = "load the backends again when its installation is done"
        raise RefusedError("open", error.code, str(error), hint) from None
    except OSError as error:
        words = reason_of(error)
    code, hint = "open-failed", ""
    missing = re.match(_NEEDED_MISSING, words)
    undefined = re.search(_UNDEFINED, words)
    if missing and "/" not in missing[1]:
        code = "needed-library-missing"
        hint = (
            f"install the package that has {missing[1]}, "
            "or put it beside the backend and link with -Wl,-rpath,'$ORIGIN'"
        )
    elif undefined and undefined[1].startswith(("__asan_", "__tsan_", "__msan_")):
        code = "sanitizer"
        hint = "the backend was built with a sanitizer: install a build without -fsanitize"
    elif undefined:
        code = "symbol-undefined"
        hint = f"link the backend with the library that defines {undefined[1]}"
    elif "' not found" in words and "version `" in words:
        code = "system-too-old"
        hint = "the backend was built on a newer system: build it on the oldest one it must run on"
    raise RefusedError("open", code, f"cannot be opened: {words}", hint)


# ---- id, version, unique, table, create ---------------------------------------------------------


def _load(
    attempt: Attempt,
    exports: dynamic_library.Exports,
    library: shared_library.SharedLibrary | None,
    taken: Mapping[str, Backend],
    options_for: OptionsFor,
    memory_request: MemoryRequest,
    python_table: PythonTable | None = None,
    *,
    admit: Admit,
) -> Backend:
    attempt.on_step("id")
    attempt.id = read_id(exports)
    admit(attempt.id)
    attempt.on_step("version")
    attempt.version = BackendVersion(*dynamic_library.call_get_version(exports.get_version))
    check_version(attempt.id, attempt.version)
    if attempt.is_noted and attempt.real_path is not None:
        noted_calls.note_backend(attempt.id, attempt.real_path)
    attempt.on_step("unique")
    if attempt.id in taken:
        winner = taken[attempt.id]
        origin = printable(winner.origin)
        reason = f"the id '{attempt.id}' is taken by {origin}, which came first"
        hint = "to use this file, name it before that one" if winner.file else ""
        raise RefusedError("unique", "id-taken", reason, hint, status="duplicate")
    attempt.on_step("table")
    try:
        table = backend_table.read_table(dynamic_library.call_factory(exports.backend_factory))
        attempt.unloadable = table.unloadable
        backend_table.check_built_minor(table, attempt.version.minor)
        defaults = backend_table.option_defaults(table)
    except backend_table.TableError as error:
        attempt.unloadable &= error.unloadable
        raise RefusedError("table", error.code, error.reason, error.hint) from None
    attempt.on_step("create")
    source = BackendSource(
        attempt.id,
        attempt.version,
        attempt.place,
        attempt.real_path,
        table,
        library,
        defaults,
        options_for,
        memory_request,
        python_table,
    )
    return open_device(source, 0)
