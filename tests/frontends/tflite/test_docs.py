# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page on operators and the newest versions: what the table of converters has, no more."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from armnn_py.frontends.tflite.resources import Resources
from armnn_py.frontends.tflite.table import find_operator, newest_version, operator_names

PAGE = Path(__file__).resolve().parents[3] / "docs" / "tflite_operators.md"
BUILTIN = [name for name in operator_names() if name.isupper()]


def test_the_page_names_every_operator() -> None:
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    named = [name for row in rows[1:] for name in re.findall(r"\w+", row[2])]
    assert sorted(named) == list(operator_names())


def test_every_operator_has_a_converter() -> None:
    others = {*operator_names()} - {*Resources.OPERATORS}
    assert all(find_operator(name) is not None for name in others)
    assert find_operator("CALL") is None


@pytest.mark.parametrize("name", BUILTIN)
def test_litert_knows_the_newest_version(new_builder: Any, name: str) -> None:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    builder = new_builder()
    assert hasattr(builder.schema.BuiltinOperator, name)
    x, y = builder.tensor("x", (1, 4, 4, 1)), builder.tensor("y")
    builder.op(name, [x], [y], version=newest_version(name))
    builder.ends([x], [y])
    refusals = []
    for kind in (OpResolverType.BUILTIN_REF, OpResolverType.AUTO):
        try:
            Interpreter(model_content=builder.data(), experimental_op_resolver_type=kind)
        except (ValueError, RuntimeError) as error:
            refusals.append("Didn't find op" in str(error))
    assert refusals != [True, True]
