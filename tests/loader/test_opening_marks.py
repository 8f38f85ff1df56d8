# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that pass their probe and end the program that opens them: the next start knows it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends.probe import marks
from armnn_py.backends.probe.identity import FileIdentity

from .harness import LOADED, Load, Workshop, forget_findings, only, outcome

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

SOURCE = "deed_backend.c"
ENDED = ("refused", "open", "ended-programs")
PROGRAM = (
    "import sys; from armnn_py.backends import load_backends; "
    "load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False).close()"
)


@pytest.fixture(params=["constructor", "create"])
def file(request: pytest.FixtureRequest, tmp_path: Path, workshop: Workshop) -> Path:
    """A file that is good in each probe, and aborts in each program."""
    deed = ('DEED="abort"', f'SITE="{request.param}"', "SPARES_TRIALS")
    return workshop.put(tmp_path / "place", "Deed", *deed, source=SOURCE)


def start(file: Path) -> int:
    """Start a program that opens the file; return its exit status."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(file.parent)]
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode


def end_programs(file: Path, count: int) -> None:
    for _ in range(count):
        assert start(file) == -signal.SIGABRT


def test_the_second_end_is_the_last(cache: Path, load: Load, file: Path) -> None:
    end_programs(file, 2)
    assert start(file) == 0
    with load(file.parent) as registry:
        verdict = only(registry)
    assert outcome(verdict) == ENDED
    assert "the last 2 programs that opened it ended" in verdict.reason
    [mark] = cache.glob("opening-*")
    assert f"remove '{mark}'" in verdict.hint
    mark.unlink()
    end_programs(file, 1)


def test_the_first_end_voids_the_finding_and_is_reported(
    cache: Path,
    tried: list[str],
    load_once,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    end_programs(file, 1)
    monkeypatch.setenv("SITE_Deed", "nowhere")  # the file behaves from now on
    assert load_once(file.parent) == LOADED
    assert "the last program that opened it ended" in caplog.text
    assert tried == [file.name]
    assert not list(cache.glob("opening-*"))
    forget_findings()
    caplog.clear()
    assert load_once(file.parent) == LOADED
    assert caplog.text.count("the last program") == 0
    assert tried == [file.name]


def test_another_state_of_the_file_is_not_blamed(cache: Path, load_once, file: Path) -> None:
    end_programs(file, 2)
    assert load_once(file.parent) == ENDED
    file.touch()
    end_programs(file, 1)


def test_ends_of_long_ago_refuse_nothing(cache: Path, load_once, file: Path) -> None:
    end_programs(file, 2)
    [mark] = cache.glob("opening-*")
    os.utime(mark, (1, 1))
    end_programs(file, 1)
    assert load_once(file.parent) == ENDED


def test_a_mark_that_other_users_may_write_to_counts_nothing(
    cache: Path, load_once, file: Path
) -> None:
    end_programs(file, 2)
    [mark] = cache.glob("opening-*")
    mark.chmod(0o666)
    end_programs(file, 1)


@pytest.mark.parametrize("text", ["", "\xff\0", "1:2 3", "x" * 10_000, " 9" * 50])
def test_a_mark_of_no_sense(
    cache: Path, load_once, file: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_programs(file, 1)
    [mark] = cache.glob("opening-*")
    mark.write_text(text)
    monkeypatch.setenv("SITE_Deed", "nowhere")
    assert load_once(file.parent) == LOADED


def test_a_program_that_opens_it_now_has_not_ended(tmp_path: Path) -> None:
    identity = FileIdentity(1, 2, 3, 4, 5)
    first, second = (marks.OpeningMark(str(tmp_path), identity) for _ in range(2))
    with first:
        assert second.count() == 0
        with second:
            assert second.count() == 0
        assert second.count() == 0
    assert first.count() == 0
    assert not list(tmp_path.iterdir())


def test_a_refused_file_and_an_error_leave_no_mark(
    cache: Path, load_once, tmp_path: Path, workshop: Workshop
) -> None:
    workshop.put_id(tmp_path / "place", "Other", "VERSION_MAJOR=1")
    load_once(tmp_path / "place")
    assert not list(cache.glob("opening-*"))


def test_without_probes_there_are_no_marks(
    cache: Path, load_once, tmp_path: Path, workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="abort"', 'SITE="create"', source=SOURCE)
    for _ in range(3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ARMNN_PY_PROBE_SECONDS", "0")
            end_programs(file, 1)


def test_a_runtime_goes_on_without_the_file(cache: Path, file: Path) -> None:
    end_programs(file, 2)
    with pytest.warns(ann.BackendSkippedWarning, match="ended before the backend was made"):
        ann.Runtime(str(file.parent)).close()
