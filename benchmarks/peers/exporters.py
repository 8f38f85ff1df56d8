# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Writes a model for torch or LiteRT from the Python module ``m_pnnx`` that pnnx made of it.

    python exporters.py torch|litert '[[[1, 128], "int64"], ...]'

runs in the folder of ``m_pnnx.py``; the argument has shape and dtype of each input. A failure is
one line of JSON, as `blame.describe` writes it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from blame import describe

PACKAGES = frozenset({"m_pnnx", "torch", "litert_torch", "ai_edge_litert", "ai_edge_quantizer"})


def example(types: list[tuple[list[int], str]]) -> list[Any]:
    """Return a tensor for each input, of its shape and dtype."""
    import torch

    return [torch.zeros(shape, dtype=getattr(torch, dtype)) for shape, dtype in types]


def to_torch(tensors: list[Any]) -> None:
    """Write m.pt by a trace.

    The trace is not compared with a second one, which has other names; outputs are compared before
    anything is timed.
    """
    import m_pnnx
    import torch

    torch.jit.trace(m_pnnx.Model().eval(), tuple(tensors), check_trace=False).save("m.pt")


def to_litert(tensors: list[Any]) -> None:
    """Write m.tflite, whose images come and go with channels last, and m.io.json, which says so."""
    import litert_torch
    import m_pnnx

    module = m_pnnx.Model().eval()
    results = module(*tensors)
    results = results if isinstance(results, list | tuple) else [results]
    turned = [i for i, value in enumerate(tensors) if value.ndim == 4 and value.shape[1] == 3]
    images = [i for i, value in enumerate(results) if value.ndim == 4]
    if turned or images:
        module = litert_torch.to_channel_last_io(module, args=turned, outputs=images)
    for i in turned:
        tensors[i] = tensors[i].permute(0, 2, 3, 1).contiguous()
    litert_torch.convert(module, tuple(tensors)).export("m.tflite")
    ports = {"turned_inputs": turned, "turned_outputs": images}
    Path("m.io.json").write_text(json.dumps(ports), encoding="utf-8")


def main() -> None:
    """Write one file, or a line with the reason of the failure."""
    sys.path.insert(0, "")  # m_pnnx is in the current folder
    engine, types = sys.argv[1], json.loads(sys.argv[2])
    try:
        {"torch": to_torch, "litert": to_litert}[engine](example(types))
    except Exception as error:  # whatever a converter raises is its result
        print("\n" + json.dumps(describe(error, PACKAGES)))
        sys.exit(1)


if __name__ == "__main__":
    main()
