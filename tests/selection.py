# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which tests `pytest` runs: `--exhaustive` runs all of them.

Without it a test with several parameters runs with each value of each of them, not with all
combinations; of a parameter ``seed`` with the first ones. Tests marked ``exhaustive`` are left out,
and with ``exhaustive(kept=1)`` all cases but one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import pytest

__all__ = ["SEEDS", "add_option", "covering", "is_exhaustive", "left_out", "set_option"]

#: How many values of a parameter ``seed`` the default run has.
SEEDS = 8
_VARIABLE = "ARMNN_TEST_EXHAUSTIVE"

#: Names of parameters, and which values they have.
Value = tuple[tuple[str, ...], tuple[int, ...]]


def add_option(parser: pytest.Parser) -> None:
    """Add `--exhaustive`."""
    text = "run all combinations of parameters, and tests marked 'exhaustive' as well"
    parser.addoption("--exhaustive", action="store_true", help=text)


def set_option(config: pytest.Config) -> None:
    """Tell helpers of tests which run it is."""
    os.environ.pop(_VARIABLE, None)
    if config.getoption("exhaustive"):
        os.environ[_VARIABLE] = "1"


def is_exhaustive() -> bool:
    """Return whether `--exhaustive` was given."""
    return _VARIABLE in os.environ


def left_out(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the tests that only `--exhaustive` runs."""
    dropped: set[pytest.Item] = set()
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        marker = item.get_closest_marker("exhaustive")
        if marker is not None and not marker.kwargs:
            dropped.add(item)
        else:
            functions[item.nodeid.partition("[")[0]].append(item)
    for cases in functions.values():
        kept = _kept(cases)
        dropped.update(case for case in cases if case.nodeid not in kept)
    return dropped


def _kept(cases: list[pytest.Item]) -> Collection[str]:
    """Return the names of the cases of one test that the default run has."""
    marker = cases[0].get_closest_marker("exhaustive")
    if marker is not None:
        return _in_any_order(case.nodeid for case in cases)[: marker.kwargs["kept"]]
    if not hasattr(cases[0], "callspec"):
        return {case.nodeid for case in cases}
    return covering([(case.nodeid, _values(case)) for case in cases])


def _in_any_order(names: Iterable[str]) -> list[str]:
    """Return names in a fixed order that has nothing to do with that of the parameters."""
    return sorted(names, key=lambda name: crc32(name.encode()))


def _values(case: pytest.Item) -> frozenset[Value]:
    """Return the parameters of a case, those of one ``parametrize`` together, and their values."""
    params = case.callspec.params  # type: ignore[attr-defined]
    names = [_names(mark.args[0]) for mark in case.iter_markers("parametrize")]
    of_marks = {name for together in names for name in together}
    names += [(name,) for name in params if name not in of_marks]  # of fixtures
    # All combinations share the objects of a row.
    return frozenset((together, tuple(id(params[name]) for name in together)) for together in names)


def _names(argnames: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(argnames, str):
        argnames = [name.strip() for name in argnames.split(",")]
    return tuple(name for name in argnames if name)


def covering(cases: Sequence[tuple[str, frozenset[Value]]]) -> set[str]:
    """Return names of few cases that have each value of each parameter among them."""
    wanted = dict.fromkeys(value for _, values in cases for value in sorted(values))
    seeds = [value for value in wanted if value[0] == ("seed",)]
    needed = wanted.keys() - set(seeds[SEEDS:])
    by_name = dict(cases)
    names = _in_any_order(by_name)
    kept = set()
    while needed:
        name = max(names, key=lambda name: len(by_name[name] & needed))
        kept.add(name)
        needed -= by_name[name]
    return kept
