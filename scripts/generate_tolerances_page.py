# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write ``docs/tolerances.md``: the allowed errors, from ``armnn_py/testing/tolerances.toml``.

Usage::

    python scripts/generate_tolerances_page.py           # write the page
    python scripts/generate_tolerances_page.py --check   # exit 1 if it is not what would be written
"""

from __future__ import annotations

import sys

from generated_page import ROOT, write_or_check

from armnn_py.testing.tolerances import table
from armnn_py.types import DataType
from armnn_py.types.facts import FACTS

PAGE = ROOT / "docs" / "tolerances.md"

_HEAD = """\
# Tolerances

How far a backend's numbers may be from what a layer's definition gives. `armnn-py backends test`
goes by this table, which is `armnn_py/testing/tolerances.toml`; see
[Test a backend](test_a_backend.md).

Written by `python scripts/generate_tolerances_page.py`.

An element may differ by *relative* x |expected| + *scaled* x the largest finite |expected| of the
output, and by the least step of its type. Use *scaled* for sums whose terms cancel: their error
has the size of the terms. Quantised elements may differ by *steps*. Where
all are 0, every bit is compared. The first row that names arithmetic and data type of the output
holds. What the arithmetics mean, and what the numbers of a layer are in the first place, says
`armnn/descriptors.h` under "Numbers".

| arithmetic | types | relative | scaled | steps |
|---|---|---|---|---|
"""
_ROUNDING = """
Quantised elements within a step may still all be rounded to one side. Where the definition gives
the real numbers, all elements of a case are looked at together. Their mean error is at most
{bias:g} steps beside chance, and at most {off:.0%} of them are not the nearest step.
"""
_LAYERS = """
| arithmetic | layers |
|---|---|
"""
_SPECIAL = """
Of NaN, infinities, zeros with a sign and denormals the kit puts some into real inputs: NaN comes
out where the definition has NaN, infinities with their sign. Not of:

"""


def render() -> str:
    """Return the text of the page."""
    content = table()
    rows = [
        f"| {_listed(row['arithmetic'], 'all others')} | {_listed(_shown(row['types']), 'all')} | "
        f"{row['relative']:g} | {row['scaled']:g} | {row.get('steps', 0)} |\n"
        for row in content["row"]
    ]
    exceptions = [
        f"- {_listed(row['layers'] + row.get('operations', []), 'all')}: {row['why']}\n"
        for row in content["special"]
        if not row["heeded"]
    ]
    layers: dict[str, list[str]] = {}
    for layer, facts in FACTS.items():
        if facts.arithmetic != "none" and not facts.host and not facts.canonical:
            layers.setdefault(facts.arithmetic, []).append(layer.label)
    named = [f"| {name} | {', '.join(sorted(found))} |\n" for name, found in layers.items()]
    rounding = _ROUNDING.format(**content["rounding"])
    tables = f"{''.join(rows)}{rounding}{_LAYERS}{''.join(named)}"
    return f"{_HEAD}{tables}{_SPECIAL}{''.join(exceptions)}"


def _shown(labels: list[str]) -> list[str]:
    names = {one.label: one.described for one in DataType}
    return [names.get(label, label) for label in labels]


def _listed(names: list[str], whole: str) -> str:
    return whole if names == ["*"] else ", ".join(names)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    return write_or_check(PAGE, render(), __file__, arguments)


if __name__ == "__main__":
    sys.exit(main())
