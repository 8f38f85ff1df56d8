# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The kit on a machine without Python gives the same verdicts; tests/packaging runs it for Arm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.errors import InvalidArgumentError
from armnn_py.testing import Report, Result, check_conformance
from armnn_py.testing.board import judging
from armnn_py.testing.board.case_file import export_cases, order_of
from armnn_py.testing.board.judging import judge
from armnn_py.testing.cases import all_cases
from armnn_py.types import DataType, LayerType
from tests.builds import build_once

from .conftest import NAME, REPOSITORY, WRONG, Build
from .test_wrong_backends import DEFECTS, RELU, SOFTMAX

ARM = "aarch64-linux-gnu-gcc"
LAYERS, TYPES = (RELU, SOFTMAX), (DataType.FLOAT32,)
Board = Callable[[Path], Report]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """``board(library)`` runs the cases by ``run_cases``, and judges."""
    include, sources = REPOSITORY / "native" / "include", REPOSITORY / "native" / "board"
    folder = tmp_path_factory.mktemp("board")
    cases = folder / "cases"
    drawn = all_cases("quick", layers=LAYERS, types=TYPES)
    export_cases(cases, drawn, order_of("quick", 0, LAYERS, TYPES))

    def compile_in(target: Path) -> None:
        subprocess.run(
            [*(os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wpedantic"),
             *("-Werror", f"-I{include}", *sources.glob("*.c")),
             *("-o", target / "run_cases", "-ldl")],
            check=True,
        )  # fmt: skip

    program = build_once(("board",), compile_in) / "run_cases"

    def run(library: Path) -> Report:
        results = folder / "results"
        subprocess.run([program, cases, library, results, "--timeout", "2"], check=True)
        return judge(results)

    return run


def outcomes(results: tuple[Result, ...]) -> dict[tuple[str, str], str]:
    return {(one.case, one.group): one.outcome for one in results}


def test_each_case_has_the_verdict_of_the_kit(wrong_backend: Build, board: Board) -> None:
    library = wrong_backend("NONE")
    here = check_conformance(
        library, layers=LAYERS, types=TYPES, groups=("truth", "numbers", "memory")
    )
    there = board(library)
    assert there.ok
    assert there.executed > 100
    assert outcomes(there.results) == outcomes(here.results)


@pytest.mark.parametrize("defect", ["WRITES_BEHIND_SCRATCH", "IGNORES_AXIS"])
def test_a_wrong_backend_is_found_there(wrong_backend: Build, board: Board, defect: str) -> None:
    layer, group, outcome, words = DEFECTS[defect]
    bad = board(wrong_backend(defect)).bad()
    assert bad
    assert {(one.layer, one.group, one.outcome) for one in bad} == {(layer.label, group, outcome)}
    assert all(re.search(words, one.message) for one in bad)


#: Sources of three backends, a defect, and the layer and type that are tried on Arm.
ON_ARM = {
    "float": (("backend.c", "layers.c"), "NONE", SOFTMAX, DataType.FLOAT32),
    "integers": (("integers.c",), "NONE", LayerType.QUANTIZE, DataType.QASYMM_S8),
    "wrong integers": (
        ("integers.c",), "IGNORES_RIGHT_QUANTIZATION", LayerType.ELEMENTWISE_BINARY,
        DataType.QASYMM_S8,
    ),
    "compiler": (("compiler.c",), "NONE", RELU, DataType.QASYMM_S8),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.skipif(
    not all(map(shutil.which, (ARM, "qemu-aarch64"))), reason=f"wants {ARM} and qemu-user"
)
@pytest.mark.parametrize("name", ON_ARM)
def test_an_emulated_board_gives_the_verdicts_of_the_kit_here(name: str, tmp_path: Path) -> None:
    sources, defect, layer, data_type = ON_ARM[name]
    flags = ["-std=gnu11", "-O1", f"-I{REPOSITORY / 'native' / 'include'}"]
    shared = ["-fPIC", "-shared", "-fvisibility=hidden", f"-DDEFECT={defect}"]
    files = [WRONG / source for source in sources]
    (tmp_path / "arm").mkdir()
    for compiler, folder in ((os.environ.get("CC", "cc"), tmp_path), (ARM, tmp_path / "arm")):
        subprocess.run([compiler, *flags, *shared, *files, "-o", folder / NAME, "-lm"], check=True)
    board, cases, results = (tmp_path / one for one in ("run_cases", "cases", "results"))
    runner = (REPOSITORY / "native" / "board").glob("*.c")
    subprocess.run([ARM, *flags, *runner, "-o", board, "-ldl"], check=True)
    drawn = all_cases("quick", layers=[layer], types=[data_type])
    export_cases(cases, drawn, order_of("quick", 0, [layer], [data_type]))
    subprocess.run(
        ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", board, cases, tmp_path / "arm" / NAME,
         results], check=True,
    )  # fmt: skip
    there = judge(results)
    here = check_conformance(
        tmp_path / NAME, layers=[layer], types=[data_type], groups=("truth", "numbers", "memory")
    )
    assert outcomes(there.results) == outcomes(here.results)
    assert there.executed > 5
    assert there.ok == (defect == "NONE")


def test_results_of_other_cases_are_refused(
    wrong_backend: Build, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of another commit of the same version, which draws one case less."""
    monkeypatch.setattr(judging, "all_cases", lambda *args, **given: all_cases(*args, **given)[1:])
    with pytest.raises(InvalidArgumentError, match="has results of other cases than those of"):
        board(wrong_backend("NONE"))


def test_results_that_are_cut_are_refused(tmp_path: Path) -> None:
    cut = tmp_path / "results"
    cut.write_bytes(b"ARESULT1" + bytes(40))
    with pytest.raises(InvalidArgumentError, match="did not come to its end"):
        judge(cut)
