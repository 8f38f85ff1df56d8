# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of layers refuses entries that would only fail where they are used."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from abi_headers import INCLUDE_DIR
from layer_table import SCHEMA_DIR, read_table


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SCHEMA_DIR, tmp_path / "schema"))


def add(schema: Path, text: str) -> None:
    with (schema / "reduction.toml").open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("positive", "1.0"),
        ("count", '"one"'),
        ("float", "true"),
        ("bool", "1"),
        ("axes", "1"),
        ("DataType", "3"),
    ],
)
def test_a_default_is_of_the_fields_type(schema: Path, kind: str, default: str) -> None:
    add(
        schema,
        f"""
[descriptor.Wrong]
fields = [ {{ name = "x", type = "{kind}", default = {default} }} ]
""",
    )
    with pytest.raises(ValueError, match=r"descriptor Wrong\.x: default .* of " + kind):
        read_table(schema)


def test_a_check_is_a_function(schema: Path) -> None:
    add(schema, "\n[descriptor.Wrong]\ncheck = true\n")
    with pytest.raises(ValueError, match=r"check = true, but check_wrong in checks\.py"):
        read_table(schema)


def test_the_tree_s_own_table_is_read() -> None:
    assert "SOFTMAX" in read_table().layers


def test_the_header_says_what_a_negative_axis_means() -> None:
    """An axis with a sign comes to backends as the user gave it."""
    text = (INCLUDE_DIR / "armnn" / "descriptors.h").read_text(encoding="utf-8")
    signed = re.findall(r"\bint32_t ax[ei]s(?:\[\w+\])?;(.*)", text)
    assert len(signed) >= 11
    wrong = [
        one for one in signed if "negative counts from the end" not in one and "-1 when" not in one
    ]
    assert wrong == []
