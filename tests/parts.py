# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A plugin of pytest: with ``-p tests.parts --part 2/3`` every third test, from the second on.

For several processes at once where pytest-xdist cannot start them, as under an emulator. There
``tests/conftest.py`` is not read: the plugin also leaves out what needs ``--exhaustive``, of each
instruction set by itself.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.selection import add_option, is_exhaustive, left_out, set_option


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", help="2/3: every third test, from the second on")
    add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    set_option(config)
    config.addinivalue_line("markers", "exhaustive: see pyproject.toml, which is not read there")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, count = map(int, config.getoption("part").split("/"))
    assert 1 <= number <= count, "--part: from 1 to the number of parts"
    dropped: set[pytest.Item] = set()
    if not is_exhaustive():
        by_set: dict[object, list[pytest.Item]] = defaultdict(list)
        for item in items:
            by_set[_instruction_set(item)].append(item)
        dropped = dropped.union(*map(left_out, by_set.values()))
    items[:] = [item for item in items if item not in dropped][number - 1 :: count]


def _instruction_set(item: pytest.Item) -> object:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return params.get("isa", params.get("quantized_isa"))
