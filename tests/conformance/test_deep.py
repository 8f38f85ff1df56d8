# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``backends check --deep``: a backend is used, and may die of it, in processes of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.errors import BackendError
from armnn_py.testing.deep import DEEP_STEPS, check_deep
from tests.processes import await_end

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

FIXTURES = Path(__file__).parents[1] / "fixtures"

Do = Callable[[str, str], None]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    path = tmp_path_factory.mktemp("deep") / "Test_Deed_backend.so"
    build_backend("deed_backend.c", path)
    return path


@pytest.fixture
def do(monkeypatch: pytest.MonkeyPatch) -> Do:
    def choose(deed: str, site: str) -> None:
        monkeypatch.setenv("DEED_Deed", deed)
        monkeypatch.setenv("SITE_Deed", site)

    return choose


# Where a deed is done -> the step that is told.
SITES = {
    "optimize": "optimize",
    "workload_factory": "create_workload",
    "create_workload": "create_workload",
    "execute": "execute",
    "body": "execute",
    "destroy_workload": "destroy_workload",
    "late_quiesce": "quiesce",
    "late_destroy": "destroy",
}


def test_a_good_backend(file: Path) -> None:
    steps, failures = check_deep(file)
    assert [(step.step, step.result) for step in steps] == [(name, "ok") for name in DEEP_STEPS]
    assert steps[0].detail == "1 small network"  # it takes Abs alone
    assert failures == []


@pytest.mark.parametrize(
    ("deed", "site", "message"),
    [
        *(("abort", site, "signal 6 (SIGABRT) in ") for site in SITES),
        ("segv", "execute", "signal 11 (SIGSEGV) in execute of layer 'layer'"),
        ("exit", "execute", "the process ended with exit code 0"),
        ("_exit", "late_destroy", "the process ended with exit code 0"),
        ("hang", "create_workload", ""),
        ("hang", "body", ""),
        ("hang", "late_destroy", ""),
    ],
)
def test_a_backend_that_does_not_return(
    file: Path, do: Do, deed: str, site: str, message: str
) -> None:
    do(deed, site)
    result = "died" if message else "timed out"
    steps, failures = check_deep(file, timeout=1)
    found = {step.step: step for step in steps}
    assert found[SITES[site]].result == result
    assert (message or "did not return within 1 s") in found[SITES[site]].detail
    assert {one.step for one in failures} == {SITES[site]}
    beside = site.startswith("late_")
    assert all(beside is (one.network == "") for one in failures)
    # What came before was well, and nothing says that what comes later is.
    number = DEEP_STEPS.index(SITES[site])
    assert {step.result for step in steps[:number]} <= ({"ok"} if beside else {"not tried"})
    assert "ok" not in {step.result for step in steps[number + 1 : 5]}


def test_an_error_is_reported_with_its_layer(
    tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    source = tmp_path / "fails.c"
    source.write_text(
        '#include "fixture.h"\n'
        "static armnn_status_t fail(const armnn_kernel_call_t* call, armnn_error_t* error) {\n"
        "  (void)call;\n"
        '  return armnn_fail(error, ARMNN_STATUS_INTERNAL, "no tea today");\n'
        "}\n"
        "static const armnn_kernel_t rows[] = {ARMNN_KERNEL_UNARY(ABS, FLOAT32, fail),\n"
        "                                      ARMNN_KERNEL_UNARY(NEG, FLOAT32, fail)};\n"
        'ARMNN_DEFINE_BACKEND("Fails", rows)\n'
    )
    path = tmp_path / "Test_Fails_backend.so"
    build_backend(source, path, f"-I{FIXTURES}")
    steps, failures = check_deep(path)
    (one,) = failures  # both are the same kind of layer
    assert (one.step, one.result) == ("execute", "failed")
    assert one.network.startswith("ElementwiseUnary of float32 ")
    assert "no tea today" in one.message
    assert {step.step: step.result for step in steps}["quiesce"] == "ok"


@pytest.mark.exhaustive
def test_no_process_of_its_group_is_left(
    file: Path, do: Do, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = tmp_path / "processes.txt"
    noted.touch()
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(noted))
    for deed in ("fork_hang", "program"):
        do(deed, "execute")
        steps, failures = check_deep(file)
        assert failures == []
        assert {step.result for step in steps} == {"ok"}
    started = [int(line.split()[1]) for line in noted.read_text().splitlines()]
    assert len(started) >= 2
    await_end(started)


def test_a_file_that_does_not_load(file: Path, do: Do) -> None:
    do("abort", "create")
    with pytest.raises(BackendError, match="does not load, step create: signal 6"):
        check_deep(file)
