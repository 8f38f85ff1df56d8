# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends compiled on demand, and short questions about what a search gave."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armnn_py.backends import BackendRegistry, Verdict
from armnn_py.backends.probe import cache as probe_cache
from tests.builds import build_once

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "tests" / "fixtures"
INCLUDE = REPOSITORY / "native" / "include"

Load = Callable[..., BackendRegistry]

#: Outcomes of a good file, and of one whose GetBackendId ends the process.
LOADED = ("loaded", "create", "ok")
DIED = ("refused", "id", "died")


class Workshop:
    """Compiles fixtures, each variant once a run, and puts copies where a test wants them."""

    def build(self, *arguments: str, source: str = "bad_backend.c") -> Path:
        """Compile ``source``; arguments are defines (``A`` or ``A=1``), or flags with a dash."""
        flags = [text if text.startswith("-") else f"-D{text}" for text in arguments]
        folder = build_once(
            ("workshop", source, *arguments),
            lambda folder: self.compile(FIXTURES / source, folder / "backend.so", *flags),
        )
        return folder / "backend.so"

    def fixture(self, name: str) -> Path:
        """Path of a source file of the fixtures."""
        return FIXTURES / name

    def compile(self, source: Path, output: Path, *flags: str) -> None:
        command = ["cc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{INCLUDE}"]
        subprocess.run([*command, str(source), "-o", str(output), *flags], check=True)

    def put(self, folder: Path, name: str, *arguments: str, source: str = "bad_backend.c") -> Path:
        """Give ``folder`` a file of its own with that name; a bare name becomes Test_<name>."""
        folder.mkdir(parents=True, exist_ok=True)
        file_name = name if "backend" in name else f"Test_{name}_backend.so"
        target = folder / file_name
        shutil.copyfile(self.build(*arguments, source=source), target)
        return target

    def put_id(self, folder: Path, backend_id: str, *arguments: str, name: str = "") -> Path:
        """Give ``folder`` a backend with an id, in a file of that name unless told otherwise."""
        return self.put(folder, name or backend_id, f'BACKEND_ID="{backend_id}"', *arguments)


def mapped_files() -> set[str]:
    """Paths of all files that this process has mapped."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split(maxsplit=5)[5] for line in lines if line.count("/")}


def only(registry: BackendRegistry) -> Verdict:
    """The one verdict of a search that met one thing."""
    assert len(registry.load_report) == 1, str(registry.load_report)
    return registry.load_report[0]


def outcome(verdict: Verdict) -> tuple[str, str, str]:
    """Status, stage and code: what a program goes by."""
    return verdict.status, verdict.stage, verdict.code


def run_child(code: str, *arguments: object, **variables: str) -> Any:
    """Run Python code in a process of its own; what it prints last is the answer, as JSON."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"exit status {result.returncode}: {result.stderr}"
    return json.loads(result.stdout.splitlines()[-1])


_AS_NOBODY = """
import hashlib, json, os, sys
import armnn_py.backends.probe.cache
import armnn_py.backends.probe.process
from armnn_py.backends import load_backends
load_backends(dynamic_backends_path=[]).close()  # whatever is read late is read now
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with load_backends(dynamic_backends_path=sys.argv[1:], bundled_backends=False) as registry:
    print(json.dumps([[v.status, v.stage, v.code, v.reason] for v in registry.load_report]))
"""


def run_as_nobody(*paths: Path) -> list[list[str]]:
    """Search in a process without privileges: status, stage, code and reason of each verdict."""
    answer: list[list[str]] = run_child(_AS_NOBODY, *paths)
    return answer


def forget_findings() -> None:
    """As a new process begins: nothing is in memory."""
    probe_cache._caches.clear()
