# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py doctor``: the machine, the install and the extras."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py import environment, errors, sdk_paths
from armnn_py._native import abi, self_check
from armnn_py._native.library import core_path
from armnn_py._native.process.confinement import has_filters, landlock_version
from armnn_py._version import __version__
from armnn_py.backends.probe.gate import DEFAULT_SECONDS
from armnn_py.backends.probe.program import program_path
from armnn_py.cli.app import EXIT_FAILED, CommandFailedError, Session, with_session
from armnn_py.cli.commands.serve import PACKAGES
from armnn_py.cli.devices import devices_of
from armnn_py.cli.help import Command
from armnn_py.cli.misnamed import misnamed_lines
from armnn_py.cli.render import Column, Renderer
from armnn_py.frontends.registry import FRONTENDS
from armnn_py.text import install_hint

if TYPE_CHECKING:
    from armnn_py.backends import LoadReport

Result = tuple[str, str]
#: The loaded files, devices, and errors by backend.
_Loaded = tuple["LoadReport", list[dict[str, Any]], dict[str, str]]
#: Optional packages beside those of importers: the module, the package and the extra for each.
_OPTIONAL = {
    "pictures as inputs": ("PIL", "pillow", "onnx"),
    "reports": ("jinja2", "jinja2", "report"),
    "server of models": ("uvicorn", PACKAGES, "serve"),
}


@click.command(cls=Command)
@with_session
def doctor(session: Session) -> None:
    """Check the native library, the machine, the backends and the extras."""
    refused: list[Result] = []

    @functools.cache
    def load() -> _Loaded:
        """Open the files once, for both checks that are about them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.BackendSkippedWarning)
            with session.runtime() as runtime:
                return runtime.load_report, *devices_of(runtime)

    checks: dict[str, Callable[[], Result]] = {
        "native library": _library,
        "struct layouts": _layouts,
        "cpu": _cpu,
        "threads": _threads,
        "probes of files": _probes,
        "isolation": _isolation,
        "backends": lambda: _backends(load()[0], refused),
        "devices": lambda: _devices(*load()[1:]),
        "sdk": _sdk,
        "extras": _extras,
    }
    rows: list[dict[str, Any]] = []
    for name, check in checks.items():
        try:
            result, detail = check()
        except (errors.ArmnnError, ImportError, OSError) as error:
            result, detail = "failed", str(error).replace("\n", "; ")
        rows.append({"check": name, "result": result, "detail": detail})
        if name == "backends":
            rows += [{"check": "backend file", "result": r, "detail": d} for r, d in refused]
    failed = [row["check"] for row in rows if row["result"] == "failed"]

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("check"), Column("result", verdict=True), Column("detail")],
            [[row["check"], row["result"], row["detail"]] for row in rows],
        )

    failure = None
    if failed:
        failure = CommandFailedError(f"failed: {', '.join(failed)}", exit_code=EXIT_FAILED)
    session.answer({"healthy": not failed, "checks": rows}, render, failure=failure)


def _library() -> Result:
    version, name = self_check.core_version(), Path(core_path()).name
    text = (
        f"{name} {version}, plan ABI {abi.ARMNN_CORE_ABI_VERSION}, backend API "
        f"{abi.ARMNN_BACKEND_API_MAJOR}.{abi.ARMNN_BACKEND_API_MINOR}"
    )
    if version != __version__:
        return "warning", f"{text}; the Python files are {__version__}"
    return "ok", text


def _layouts() -> Result:
    sizes = self_check.struct_sizes()
    wrong = [s for s in sizes if not s.agrees]
    if wrong:
        return "failed", "; ".join(
            f"{s.name}: {s.library} bytes in the library, {s.python} in Python" for s in wrong
        )
    return "ok", f"{len(sizes)} of {len(sizes)} agree with Python"


def _cpu() -> Result:
    features = self_check.cpu_feature_names()
    return "ok", f"{platform.machine()}: {' '.join(features) or 'baseline instructions only'}"


def _threads() -> Result:
    usable, asked = self_check.usable_cpus(), environment.thread_count()
    if asked is None:
        return "ok", f"{usable} usable here"
    result = "warning" if asked > usable else "ok"
    return result, f"{usable} usable here, ARMNN_PY_NUM_THREADS={asked}"


def _isolation() -> Result:
    version = landlock_version()
    parts = [
        "limits of memory, open files and time",
        f"Landlock {version} for files" if version else "no Landlock: files= is refused",
        "seccomp for network and programs"
        if has_filters()
        else "no seccomp: network=False and programs=False are refused",
    ]
    return "ok", "; ".join(parts)


def _probes() -> Result:
    path, given = program_path(), environment.probe_seconds()
    if not os.access(path, os.X_OK):
        return "warning", f"'{path}' cannot be run: files are opened without a probe"
    if given == 0:
        return "note", "none: ARMNN_PY_PROBE_SECONDS=0"
    return "ok", f"{Path(path).name}, {DEFAULT_SECONDS if given is None else given:g} s for each"


def _backends(report: LoadReport, refused_files: list[Result]) -> Result:
    """Count files; ``refused_files`` gets a line for each that was refused."""
    loaded, refused = len(report.loaded), len(report.refused)
    refused_files += [
        ("warning", f"{verdict.path}: {verdict.stage}: {verdict.reason}")
        for verdict in report.refused
    ]
    text = f"{loaded} loaded, {refused} refused"
    if not loaded:
        return "failed", text
    if refused:
        text += ": armnn-py backends list"
    misnamed = misnamed_lines(report.as_dicts())
    if misnamed:
        text = "; ".join([text, *misnamed, "armnn-py backends list -v shows all"])
        return "warning" if refused else "note", text  # a backend's own library may lie there
    return "warning" if refused else "ok", text


def _devices(found: list[dict[str, Any]], problems: dict[str, str]) -> Result:
    if problems:
        return "warning", "; ".join(problems.values())
    text = ", ".join(f"{device['id']} ({device['name']})" for device in found)
    return "ok", text or "no backend tells of its devices"


def _sdk() -> Result:
    try:
        return "ok", str(sdk_paths.get_include().parent)
    except errors.InternalError as error:
        return "note", error.message


def _extras() -> Result:
    of_models = {f"{one.name} models": (one.package, one.package, one.extra) for one in FRONTENDS}
    optional = dict(sorted(of_models.items())) | _OPTIONAL
    missing = [
        f"no {words}: {install_hint(package, extra)}"
        for words, (module, package, extra) in optional.items()
        if importlib.util.find_spec(module) is None
    ]
    return ("note", "; ".join(missing)) if missing else ("ok", ", ".join(optional))
