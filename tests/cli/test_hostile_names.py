# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names in a model that want to be commands of a terminal, or lines of the answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from .conftest import Command

HOSTILE = "\x1b]0;x\x07\x1b[31m\x9b2J\u202e\r\nFAKE\u2028FAKE\x00"


def hostile_model(
    *, operator: str = "Add", domain: str = "", free: bool = False
) -> onnx.ModelProto:
    """A model of one operator with such names wherever a text may be."""
    shape = [1, f"size{HOSTILE}"] if free else [1, 4]
    node = helper.make_node(
        operator,
        [f"x{HOSTILE}", f"w{HOSTILE}"],
        [f"y{HOSTILE}"],
        name=f"node{HOSTILE}",
        domain=domain,
        doc_string=HOSTILE,
    )
    graph = helper.make_graph(
        [node],
        f"graph{HOSTILE}",
        [helper.make_tensor_value_info(f"x{HOSTILE}", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(f"y{HOSTILE}", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.ones(4, np.float32), f"w{HOSTILE}")],
        doc_string=HOSTILE,
    )
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid(domain, 1)] if domain else [])]
    model = helper.make_model(graph, opset_imports=opsets, producer_name=f"producer{HOSTILE}")
    model.producer_version = model.domain = model.doc_string = HOSTILE
    helper.set_model_props(model, {f"key{HOSTILE}": f"value{HOSTILE}"})
    return model


MODELS = {
    "good": hostile_model(),
    "free": hostile_model(free=True),
    "operator": hostile_model(operator=f"Nothing{HOSTILE}"),
    "domain": hostile_model(operator=f"Nothing{HOSTILE}", domain=f"domain{HOSTILE}"),
}


@pytest.mark.parametrize("words", [["inspect"], ["run", "--random", "1"], ["check"]], ids="".join)
@pytest.mark.parametrize("kind", MODELS)
def test_names_stay_in_their_lines(
    command: Command, tmp_path: Path, kind: str, words: list[str]
) -> None:
    file = tmp_path / "hostile.onnx"
    onnx.save(MODELS[kind], file)
    answer = command(words[0], file, *words[1:])
    text = answer.out + answer.err
    assert "FAKE" in text
    lines = text.split("\n")
    assert all(line.isprintable() for line in lines)
    assert not [line for line in lines if line.strip().startswith("FAKE")]
