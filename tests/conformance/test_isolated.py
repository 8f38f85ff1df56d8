# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A quarter of the kit's cases has the same outcomes through a worker as in the process."""

from __future__ import annotations

import pytest

from armnn_py.testing import check_conformance
from armnn_py.testing.target import Target
from armnn_py.types import DataType, LayerType


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("backend", "layer"),
    [
        ("CpuAcc", LayerType.SOFTMAX),
        ("CpuAcc", LayerType.CONVOLUTION2D),
        ("CpuAcc", LayerType.ELEMENTWISE_BINARY),
        ("CpuRef", LayerType.SOFTMAX),
    ],
    ids=lambda one: getattr(one, "label", one),
)
def test_the_kit_through_a_worker(
    backend: str, layer: LayerType, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = []
    for isolated in ("", backend):
        monkeypatch.setenv("ARMNN_PY_ISOLATE", isolated)
        with Target(backend, search=True).runtime() as runtime:
            assert list(runtime.isolated) == [isolated] * bool(isolated)
        report = check_conformance(
            backend, layers=[layer], types=[DataType.FLOAT32], timeout=60, jobs=2, part=(1, 4)
        )
        assert report.ok, report.changes[:5]
        outcomes.append([(one.group, one.case, one.outcome) for one in report.results])
    assert sorted(outcomes[0]) == sorted(outcomes[1])
    assert {"truth", "numbers", "memory", "reentrance"} <= {one[0] for one in outcomes[1]}
