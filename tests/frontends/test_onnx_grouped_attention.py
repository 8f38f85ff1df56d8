# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""GroupQueryAttention of com.microsoft: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

from .test_onnx_microsoft import MICROSOFT, build, real

HEADS, SHARED, SIZE = 4, 2, 32


def operands(batch: int, new: int, past: int, lengths: list[int], *, packed: bool) -> list[Any]:
    query, key, value = (real(batch, new, heads * SIZE) for heads in (HEADS, SHARED, SHARED))
    first = [np.concatenate([query, key, value], 2), None, None] if packed else [query, key, value]
    pasts = [real(batch, SHARED, past, SIZE) for _ in range(2)]
    return [*first, *pasts, np.int32(lengths) - 1, np.int32([max(lengths)])]


def tables(turned: int = SIZE) -> list[Any]:
    angles = np.arange(32)[:, np.newaxis] / 10.0 ** np.arange(turned // 2)
    return [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]


def check(inputs: list[Any], *, total_known: bool = True, **attributes: Any) -> None:
    known = ((6,) if total_known else ()) + (
        (7, 8) if len(inputs) > 7 and inputs[7] is not None else ()
    )
    outputs = ["y", "present_key", "present_value"]
    model = build("GroupQueryAttention", inputs, known, outputs, MICROSOFT, num_heads=HEADS,
                  kv_num_heads=SHARED, **attributes)  # fmt: skip
    for output, rank in zip(model.graph.output, (3, 4, 4), strict=True):
        dims = [f"{output.name}_{dim}" for dim in range(rank)]
        output.CopyFrom(helper.make_tensor_value_info(output.name, TensorProto.FLOAT, dims))
    fed = {f"i{k}": v for k, v in enumerate(inputs) if v is not None and k not in known}
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(outputs, fed)
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(fed)
    np.testing.assert_allclose(found["y"], expected[0], rtol=1e-4, atol=2e-6)
    for name, value in zip(outputs[1:], expected[1:], strict=True):
        assert found[name].shape == value.shape
        for row, length in enumerate(inputs[5] + 1):  # behind them lies anything
            ours, theirs = found[name][row, :, :length], value[row, :, :length]
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("batch", "new", "past", "lengths"),
    [(2, 5, 0, [5, 5]), (1, 1, 6, [7]), (1, 3, 6, [9]), (2, 1, 6, [7, 7]), (3, 1, 6, [7, 5, 2])],
)
def test_prompts_and_steps(
    batch: int, new: int, past: int, lengths: list[int], packed: bool
) -> None:
    check(operands(batch, new, past, lengths, packed=packed), total_known=packed)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("turned", [SIZE, SIZE // 2])
@pytest.mark.parametrize(
    ("batch", "new", "past", "lengths"), [(2, 5, 0, [5, 5]), (1, 1, 6, [7]), (2, 1, 6, [7, 4])]
)
def test_turned_heads(
    batch: int, new: int, past: int, lengths: list[int], turned: int, interleaved: int
) -> None:
    inputs = [*operands(batch, new, past, lengths, packed=False), *tables(turned)]
    check(inputs, do_rotary=1, rotary_interleaved=interleaved)


@pytest.mark.parametrize(("batch", "new", "past", "lengths"), [(1, 6, 0, [6]), (2, 1, 6, [7, 5])])
def test_windows_caps_and_scales(batch: int, new: int, past: int, lengths: list[int]) -> None:
    inputs = operands(batch, new, past, lengths, packed=False)
    check(inputs, local_window_size=3)
    check(inputs, scale=0.2, softcap=0.7)


@pytest.mark.parametrize(("batch", "new", "past", "lengths"), [(1, 6, 0, [6]), (2, 1, 6, [7, 5])])
@pytest.mark.parametrize("sinks", [False, True])
def test_shares_that_no_position_gets(
    batch: int, new: int, past: int, lengths: list[int], sinks: bool
) -> None:
    inputs = operands(batch, new, past, lengths, packed=False)
    if sinks:
        check([*inputs, None, None, None, None, real(HEADS)], softcap=1.5)
    else:
        check(inputs, smooth_softmax=1)
        check(inputs, smooth_softmax=1, local_window_size=2, softcap=0.7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: (operands(2, 3, 6, [9, 9], packed=False), {}), "pasts of several lengths"),
        (
            lambda: ([*operands(1, 1, 6, [7], packed=False), None, None, np.zeros((1, 1))], {}),
            "positions or a bias",
        ),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    inputs, attributes = make()
    model = build("GroupQueryAttention", inputs, (6,), ["y", "k", "v"], MICROSOFT,
                  num_heads=HEADS, kv_num_heads=SHARED, **attributes)  # fmt: skip
    with pytest.raises(ann.UnsupportedOperatorError, match=words):
        ann.import_model(model)
