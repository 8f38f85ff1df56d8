# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators says where each converter is, and no more is imported than is needed."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from armnn_py.frontends.onnx import operators, table

FAMILIES = {
    **table._FAMILIES,
    **table._MICROSOFT_FAMILIES,
    **table._MACHINE_LEARNING_FAMILIES,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_the_operators_that_the_table_names(family: str) -> None:
    module = importlib.import_module(f"{operators.__name__}.{family}")
    found = {
        name
        for (_, name), versions in table._TABLE.items()
        if any(entry.convert.__module__ == module.__name__ for entry in versions)
    }
    assert found == set(FAMILIES[family].split())


def test_every_module_is_a_family() -> None:
    modules = {module.name for module in pkgutil.iter_modules(operators.__path__)}
    assert modules == set(FAMILIES)
    assert len(table._FAMILY_OF) == sum(len(n.split()) for n in FAMILIES.values())


def test_versions_and_domains() -> None:
    oldest, newest = table.find_operator("", "Clip", 1), table.find_operator("", "Clip", 13)
    assert oldest is not None
    assert newest is not None
    assert (oldest.since, newest.since) == (1, 11)
    assert table.find_operator("com.example", "Clip", 13) is None
    assert table.find_operator("", "Clap", 13) is None
    assert table.find_operator("", "QLinearAdd", 13) is None
    assert table.find_operator(table.MICROSOFT, "QLinearAdd", 1) is not None
    assert table.find_operator(table.MICROSOFT, "Clip", 1) is None


def test_a_converter_of_no_family_is_refused() -> None:
    with pytest.raises(AssertionError, match="Clap is in no family"):
        table.operator("Clap")(lambda view: view.value(0))
