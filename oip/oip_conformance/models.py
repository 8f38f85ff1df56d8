# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The models whose answers are known: ``python -m oip_conformance.models FOLDER [TYPE...]``.

``oip_identity_TYPE`` gives its input ``x`` back as ``y``. ``oip_add_TYPE`` takes ``a`` and ``b``
and gives ``sum`` and ``difference``. All tensors have the shape (batch, 4) with a free batch.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from oip_conformance.tensors import DTYPES

#: The ONNX element type of each data type.
ONNX_TYPES = {
    "BOOL": "BOOL", "UINT8": "UINT8", "UINT16": "UINT16", "UINT32": "UINT32", "UINT64": "UINT64",
    "INT8": "INT8", "INT16": "INT16", "INT32": "INT32", "INT64": "INT64", "FP16": "FLOAT16",
    "FP32": "FLOAT", "FP64": "DOUBLE", "BF16": "BFLOAT16", "BYTES": "STRING",
}  # fmt: skip
#: The types of the models that add.
ADDED = ("FP32", "INT32")


def known_answer(model: str, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray] | None:
    """Give the outputs that one of the models must give, or None for another model."""
    if model.startswith("oip_identity_"):
        return {"y": inputs["x"]}
    if model.startswith("oip_add_"):
        return {"sum": inputs["a"] + inputs["b"], "difference": inputs["a"] - inputs["b"]}
    return None


def write_models(folder: Path, types: list[str]) -> list[Path]:
    """Write an ONNX file for each of ``types``, and the models that add; give their paths."""
    import onnx
    from onnx import helper

    def write(name: str, nodes: list[onnx.NodeProto], inputs: str, outputs: str, kind: str) -> Path:
        element = getattr(onnx.TensorProto, ONNX_TYPES[kind])
        read, given = (
            [helper.make_tensor_value_info(one, element, ["batch", 4]) for one in names.split()]
            for names in (inputs, outputs)
        )
        graph = helper.make_graph(nodes, name, read, given)
        opset = [helper.make_opsetid("", 17)]
        path = folder / f"{name}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
        return path

    folder.mkdir(parents=True, exist_ok=True)
    node = helper.make_node
    paths = [
        write(f"oip_identity_{kind.lower()}", [node("Identity", ["x"], ["y"])], "x", "y", kind)
        for kind in types
    ]
    for kind in (one for one in types if one in ADDED):
        nodes = [node("Add", ["a", "b"], ["sum"]), node("Sub", ["a", "b"], ["difference"])]
        paths.append(write(f"oip_add_{kind.lower()}", nodes, "a b", "sum difference", kind))
    return paths


def main(arguments: list[str]) -> None:
    """Write the models into the folder that the first argument names, and print their paths."""
    if not arguments or arguments[0].startswith("-"):
        raise SystemExit("usage: python -m oip_conformance.models FOLDER [TYPE...]")
    unknown = sorted(set(arguments[1:]) - set(DTYPES))
    if unknown:
        raise SystemExit(f"unknown data types: {' '.join(unknown)}; known: {' '.join(DTYPES)}")
    for path in write_models(Path(arguments[0]), arguments[1:] or list(DTYPES)):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
