# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A plugin of pytest: with ``-p tests.parts --part 2/3`` every third test, from the second on.

For several processes at once where pytest-xdist cannot start them, as under an emulator. There
``tests/conftest.py`` is not read: the plugin also leaves out what needs ``--exhaustive``.
"""

from __future__ import annotations

import pytest

from tests.selection import add_option, is_exhaustive, left_out, set_option


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", help="2/3: every third test, from the second on")
    add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    set_option(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, count = map(int, config.getoption("part").split("/"))
    assert 1 <= number <= count, "--part: from 1 to the number of parts"
    dropped = set() if is_exhaustive() else left_out(items)
    items[:] = [item for item in items if item not in dropped][number - 1 :: count]
