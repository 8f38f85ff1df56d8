# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention of 16 bits: about as near to exact numbers as the ONNX project's own evaluator.

Its outputs of bfloat16, which the backend test data record, are numpy's: each partial sum of a
Softmax is rounded to 8 bits. Here a Softmax is computed in float32 and rounded once.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

import armnn_py as ann

FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": 1},
    "scaled": {"scale": 0.5, "softcap": 2.0},
}


def distance(found: Any, exact: Any) -> float:
    """The root of the mean square of the differences."""
    return float(np.sqrt(np.mean((found.astype(np.float64) - exact) ** 2)))


@pytest.mark.skipif(not onnx.defs.has("Attention"), reason="this version of onnx lacks it")
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_near_to_exact_numbers(masked: bool, form: str, dtype: Any) -> None:
    numbers, kind = np.random.default_rng(2), helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    shapes = {"Q": (2, 3, 4, 8), "K": (2, 3, 6, 8), "V": (2, 3, 6, 8)}
    if masked:
        shapes["mask"] = (4, 6)
    feed = {name: numbers.random(shape).astype(dtype) for name, shape in shapes.items()}
    infos = [helper.make_tensor_value_info(name, kind, one) for name, one in shapes.items()]
    graph = helper.make_graph(
        [helper.make_node("Attention", [*shapes], ["Y"], **FORMS[form])],
        "graph",
        infos,
        [helper.make_tensor_value_info("Y", kind, shapes["Q"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    evaluator = ReferenceEvaluator(model)
    (recorded,) = evaluator.run(None, feed)
    (exact,) = evaluator.run(None, {name: one.astype(np.float64) for name, one in feed.items()})
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(feed)["Y"]
    found = found if dtype is np.float16 else found.view(dtype)
    assert distance(found, exact) <= 1.25 * distance(recorded, exact)
    assert distance(found, exact) <= 0.5 * float(ml_dtypes.finfo(dtype).eps)
