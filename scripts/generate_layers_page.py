# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write ``docs/layers.md``: every layer, and the data types with which each backend takes it.

The text comes from the table in ``schema``, the types from the bundled backends, which are asked,
and those of Arm NN's reference backend from ``tests/cpu_ref/arm_nn_reference.toml``.

Usage::

    python scripts/generate_layers_page.py           # write the page
    python scripts/generate_layers_page.py --check   # exit 1 if it is not what would be written
"""

from __future__ import annotations

import sys
import tomllib

from generated_page import ROOT, write_or_check

import armnn_py as ann
from armnn_py.backends.questions.layer_examples import probe_support
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

PAGE = ROOT / "docs" / "layers.md"
BACKENDS = ("CpuRef", "CpuAcc")
ARM_NN = ROOT / "tests" / "cpu_ref" / "arm_nn_reference.toml"

_HEAD = """\
# Layers

Every layer type, what it computes, and the data types with which the bundled backends take it. The
type is that of what a layer reads first; of Fill and Quantize, of what it makes. A backend may take
a layer with some parameters only: `armnn-py check MODEL --layers` and `Backend.supports` tell of
one layer; `armnn-py backends show ID` lists this for any backend that is installed. The column
"Arm NN" has the types with which the reference backend of Arm NN 23.08 takes a layer, or of 24.05,
which brought ScatterNd and BroadcastTo.

Written by `python scripts/generate_layers_page.py`, which asks the backends.

"""
_SHORT = {
    DataType.FLOAT32: "F32",
    DataType.FLOAT16: "F16",
    DataType.BFLOAT16: "BF16",
    DataType.QASYMM_U8: "U8",
    DataType.QASYMM_S8: "S8",
    DataType.QSYMM_S8: "W8",
    DataType.QSYMM_S16: "S16",
    DataType.SIGNED32: "I32",
    DataType.SIGNED64: "I64",
    DataType.UNSIGNED16: "U16",
    DataType.UNSIGNED32: "U32",
    DataType.UNSIGNED64: "U64",
    DataType.FLOAT64: "F64",
    DataType.BOOLEAN: "Bool",
    DataType.FLOAT8_E4M3FN: "E4M3FN",
    DataType.FLOAT8_E4M3FNUZ: "E4M3FNUZ",
    DataType.FLOAT8_E5M2: "E5M2",
    DataType.FLOAT8_E5M2FNUZ: "E5M2FNUZ",
    DataType.FLOAT8_E8M0FNU: "E8M0",
    DataType.FLOAT4_E2M1FN: "E2M1",
    DataType.QASYMM_S4: "S4",
    DataType.QASYMM_U4: "U4",
    DataType.QASYMM_S2: "S2",
    DataType.QASYMM_U2: "U2",
}


def render() -> str:
    """Return the text of the page."""
    with ann.Runtime() as runtime:
        taken = {name: probe_support(runtime.backends[name]) for name in BACKENDS}
    names = ", ".join(f"{_name(one)}: {one.name}" for one in DataType)
    arm_nn = tomllib.loads(ARM_NN.read_text(encoding="utf-8"))
    labels = {label: _name(DataType[name.upper()]) for label, name in arm_nn["types"].items()}
    theirs = {
        layer: [labels[one] for one in row.split()] for layer, row in arm_nn["layers"].items()
    }
    lacking: list[str] = []
    rows = [f"| layer | computes | Arm NN | {' | '.join(BACKENDS)} |\n", "|---|---|---|---|---|\n"]
    for layer_type in sorted(LayerType, key=lambda one: one.label):
        facts = FACTS[layer_type]
        if facts.host or facts.moves_memory:
            continue
        if layer_type in (LayerType.MERGE, LayerType.SWITCH):
            cells = ["as Select"] * len(BACKENDS)
        elif facts.canonical is not None:
            cells = [f"as {facts.canonical.label}"] * len(BACKENDS)
        else:
            cells = [" ".join(map(_name, taken[name].get(layer_type, ()))) for name in BACKENDS]
        label, kind = layer_type.label, facts.canonical or layer_type
        wanted = theirs.get(label, [])
        ours = {_name(one) for one in taken["CpuRef"].get(kind, ())}
        lacking += [f"{label} {one}" for one in wanted if one not in ours]
        rows.append(f"| {label} | {facts.doc} | {' '.join(wanted)} | {' | '.join(cells)} |\n")
    return f"{_HEAD}{names}.\n\n{_compared(lacking)}\n\n{''.join(rows)}"


def _compared(lacking: list[str]) -> str:
    """Return the sentence on what Arm NN's reference backend takes and CpuRef does not."""
    if not lacking:
        return "CpuRef takes every layer in every type that Arm NN's reference backend takes it in."
    return (
        "CpuRef takes every layer in every type that Arm NN's reference backend takes it in, but "
        f"for these: {', '.join(lacking)}."
    )


def _name(data_type: DataType) -> str:
    return _SHORT.get(data_type, data_type.label)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    return write_or_check(PAGE, render(), __file__, arguments)


if __name__ == "__main__":
    sys.exit(main())
