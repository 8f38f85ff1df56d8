# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of ONNX operators finds the converter of each version and domain."""

from __future__ import annotations

from armnn_py.frontends.onnx.convert import table


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
