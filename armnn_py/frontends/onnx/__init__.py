# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ONNX importer.

::

    source -> ModelProto -> OnnxModel -> Network
        reading          model        conversion

``OnnxModel`` is read once. Conversion is done for concrete input shapes: every value is then
either a numpy array that is already known or a slot of the network, and an operator that finds all
its inputs known is computed at once. A model with free dimensions becomes a network that converts
again per set of shapes; all conversions share the weights.

Reading a model loads only the message classes of the package ``onnx`` (`schema`). The whole package
is imported where a model has operators that are not supported, to tell standard ones from others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.garbage import without_collections
from armnn_py.network import Network

if TYPE_CHECKING:
    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.stand_ins import RunsStandIns

__all__ = ["import_source"]


def import_source(
    source: ModelSource,
    shapes: Mapping[str, Sequence[int | None]] | None = None,
    backends: Sequence[RunsStandIns] = (),
    *,
    keeps_loops: bool = False,
) -> Network:
    """Read an ONNX model into a network; see `armnn_py.frontends.import_model`.

    ``keeps_loops``: loops of many turns run by themselves, in stages.
    """
    with without_collections():
        from armnn_py.frontends.onnx.convert.conversion import network_of
        from armnn_py.frontends.onnx.file.model import load_model

        model = load_model(source)
        if keeps_loops:
            model = structs.replace(model, keeps_loops=True)
        return network_of(model, shapes, backends)
