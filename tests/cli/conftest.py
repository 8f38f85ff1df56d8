# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A way to call the command in this process, and small models to call it on."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py
from armnn_py.cli.main import main

PACKAGE = Path(armnn_py.__file__).parent
DEMO = PACKAGE / "demo" / "digits.onnx"
SCHEMA: dict[str, Any] = json.loads((PACKAGE / "cli" / "answers.schema.json").read_text())


def check_answer(document: dict[str, Any]) -> None:
    """Hold a document against the schema, which `test_manners` checks as such."""
    name = document["schema"].removeprefix("armnn-py/").removesuffix("/1")
    # The command's own entry: its errors say more than "not valid under any of the given".
    schema = {**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{name}"}]}
    jsonschema.Draft202012Validator(schema).validate(document)


@dataclass(frozen=True)
class Answer:
    """The answer of one call."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one document on standard output, checked against the schema that it names."""
        document: dict[str, Any] = json.loads(self.out)
        check_answer(document)
        assert document["ok"] is (self.code == 0)
        if not document["ok"]:
            assert document["error"]["exit_code"] == self.code
        return document


Command = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of a pipe have no width, whatever the tests were started from."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """The command sends log lines and warnings to standard error; undo that."""
    root = logging.getLogger()
    ours = [logging.getLogger(name) for name in ("armnn_py", "armnn_py.backends")]
    before = root.handlers[:], [logger.level for logger in ours]
    with warnings.catch_warnings():
        yield
    root.handlers[:], levels = before
    for logger, level in zip(ours, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str | Path) -> Answer:
        capfd.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Answer(code, out, err)

    return call


def save_model(
    path: Path, nodes: list[onnx.NodeProto], inputs: dict[str, list[Any]], output: str
) -> Path:
    """Write a float32 ONNX file; its output has the shape of its first input."""
    shape = next(iter(inputs.values()))
    graph = helper.make_graph(
        nodes,
        path.stem,
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, path)
    return path


@pytest.fixture
def adder(tmp_path: Path) -> Path:
    """Output ``sum/out`` = ``left`` + ``right``, both 2 x 3."""
    node = helper.make_node("Add", ["left", "right"], ["sum/out"], "the_add")
    return save_model(tmp_path / "adder.onnx", [node], {"left": [2, 3], "right": [2, 3]}, "sum/out")


@pytest.fixture
def free_relu(tmp_path: Path) -> Path:
    """A Relu over pictures of any size."""
    node = helper.make_node("Relu", ["image"], ["out"], "relu")
    return save_model(tmp_path / "free.onnx", [node], {"image": [1, 3, "h", "w"]}, "out")


@pytest.fixture
def unsupported(tmp_path: Path) -> Path:
    """A model with an operator that no importer has."""
    node = helper.make_node("ImageDecoder", ["x"], ["y"], "odd_one")
    return save_model(tmp_path / "odd.onnx", [node], {"x": [2]}, "y")
