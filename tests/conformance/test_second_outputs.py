# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The check of memory tries each output in each input that it may lie in, not the first alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CHECK = """
import sys
import armnn_py as ann
from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.descriptors import StandInDescriptor
from armnn_py.testing.cases.case import Case
from armnn_py.testing.checks.memory import check_memory
from armnn_py.guard.one_run import in_place_offers
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.testing.prepared import Preparation
from armnn_py.testing.subject import Subject
from armnn_py.testing.target import Target

info = ann.TensorInfo((2, 9))
layer = LayerSignature(
    ann.LayerType.STAND_IN, StandInDescriptor(2, 2), (info, info), (info, info), (False, False)
)
case = Case("butterfly", ann.DataType.FLOAT32, layer, (None, None), 0)
prepared = Preparation(Subject(Target("Requirements", (sys.argv[1],))), case)()
assert in_place_offers(prepared) == [(0, 0), (1, 0), (0, 1), (1, 1)]
try:
    check_memory(case, prepared, lambda words: None)
except CheckFailedError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("define", "words"),
    [
        ("-DRIGHT", ""),
        ("-DSECOND_FIRST", "output 0 is wrong: output 1 in the memory of input 0, as it offers"),
    ],
)
def test_second_outputs_in_place(
    tmp_path: Path, build_backend: Callable[..., None], define: str, words: str
) -> None:
    build_backend("requirements_backend.c", tmp_path / "Test_Requirements_backend.so", define)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, tmp_path], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == words
