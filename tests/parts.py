# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A plugin of pytest: with ``-p tests.parts --part 2/3`` every third test, from the second on.

For several processes at once where pytest-xdist cannot start them, as under an emulator.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", help="2/3: every third test, from the second on")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, count = map(int, config.getoption("part").split("/"))
    assert 1 <= number <= count, "--part: from 1 to the number of parts"
    items[:] = items[number - 1 :: count]
