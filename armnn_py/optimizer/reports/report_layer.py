# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The record of one layer in the report."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from armnn_py.later import public_class


@public_class
class LayerAssignment(Struct, frozen=True):
    """The backend of one layer, and the reason.

    Attributes
    ----------
    guid
        Number of the layer in the network that was given to `optimize`: names may repeat. None for
        an inserted layer.
    layer
        Name of the layer.
    type
        Arm NN's name of its type, e.g. ``"Convolution2d"``.
    backend
        Id of the backend that runs it; empty if the layer was taken out, see ``note``.
    file
        Real path of that backend's shared object; None for one linked into the library.
    hint
        The backend that the layer itself asked for, or None.
    refusals
        Pairs (backend id, reason) of the backends that refused it before.
    part
        Number of the sub-graph that the backend got whole; None for a layer that was taken out, and
        for copies, imports and Debug layers, which are inserted afterwards.
    note
        Changes of the layer, e.g. ``fused into 'conv1'``; may be empty.
    rule
        The placement rule that decided, in words, or None.
    inserted
        Whether the layer is the optimiser's own, as MemCopy, MemImport and conversions are.
    run_by, run_as
        Name and type of the layer of the optimised network that computes it: of another, if it was
        fused, merged or compiled. Empty if it was taken out.
    """

    guid: int | None
    layer: str
    type: str
    backend: str
    file: str | None = None
    hint: str | None = None
    refusals: tuple[tuple[str, str], ...] = ()
    part: int | None = None
    note: str = ""
    rule: str | None = None
    inserted: bool = False
    run_by: str = ""
    run_as: str = ""

    @property
    def reason(self) -> str:
        """Why the layer has its backend, in words."""
        if self.rule is not None:
            return f"asked for by {self.rule}"
        if self.hint is not None and self.backend == self.hint:
            return "asked for by the layer"
        return "; ".join(f"{backend}: {reason}" for backend, reason in self.refusals)

    @property
    def remark(self) -> str:
        """The note and the reason of the layer."""
        return "; ".join(text for text in (self.note, self.reason) if text)

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        return {
            "guid": self.guid,
            "layer": self.layer,
            "type": self.type,
            "backend": self.backend,
            "file": self.file,
            "hint": self.hint,
            "refusals": [{"backend": b, "reason": r} for b, r in self.refusals],
            "part": self.part,
            "note": self.note,
            "rule": self.rule,
            "inserted": self.inserted,
            "run_by": self.run_by,
            "run_as": self.run_as,
        }
