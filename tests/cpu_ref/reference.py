# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Expected values from somebody else: single ONNX nodes in onnxruntime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def onnx_node(
    operator: str,
    inputs: Sequence[np.ndarray | None],
    attributes: Mapping[str, Any] | None = None,
    *,
    opset: int = 18,
    constant: Sequence[int] = (),
    outputs: Sequence[str] = ("y",),
) -> np.ndarray:
    """The output ``y`` of one operator; ``None`` is an absent input, ``constant`` a fixed one."""
    onnx = pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    given = {name: x for name, x in zip(names, inputs, strict=True) if x is not None}
    fixed = {f"x{i}" for i in constant}
    graph = helper.make_graph(
        [helper.make_node(operator, names, outputs, **(attributes or {}))],
        "one",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in given.items()
            if n not in fixed
        ],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(x, n) for n, x in given.items() if n in fixed],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    result: np.ndarray = session.run(None, {n: x for n, x in given.items() if n not in fixed})[0]
    return result


def random(shape: Sequence[int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)
