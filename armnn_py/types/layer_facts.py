# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The facts of a layer type, as the table in ``schema`` has them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView, ValuesView

    from armnn_py.types.enumerations import DataType, LayerType

TypeGroup = Literal["any", "number", "float", "boolean"]


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """The facts of a layer type in the table in ``schema``.

    Attributes
    ----------
    doc
        The function of the layer, in a sentence.
    since
        The minor version of the backend API that brought it.
    operands
        Names of its operands; a closing ``?`` marks one that may be absent. Empty if variadic.
    variadic
        Whether it takes any number of operands.
    outputs
        Names of its outputs; ``None`` for any number.
    types
        Which data types its first operand may have.
    operand_types
        Operands whose types have nothing to do with those of the others, by index: a condition.
    quantization
        ``calculates`` with the numbers that quantised values stand for, and so needs a scale;
        ``moves`` values, whose scale passes on; ``none``: has nothing to do with scales.
    arithmetic
        How exact its numbers are: the names that ``descriptors.h`` explains under "Numbers".
    shape
        How its output's shape comes about: ``same`` as operand 0, ``broadcast`` of all operands,
        ``reduce`` of some axes, ``stated`` by the caller, or by a rule of its own (``custom``).
    output_type
        The data type of its output where that is always the same.
    host
        The host itself carries it out: Input, Output, Constant.
    moves_memory
        Stands between two backends' memories: MemCopy, MemImport.
    opaque
        Has an effect, or a meaning that only its backend knows: is not computed beforehand.
    pointwise
        Each element of the output depends on the same element of each operand alone.
    permutable
        Makes the permuted result of permuted operands if its parameters follow.
    permutable_if
        Values that fields of the descriptor must have for that, by name.
    permuted_operands
        Which operands are permuted then; all, if empty.
    operand_ranks
        Number of dimensions that operands must have for that, by index.
    laid_out_operands
        Which operands have the order of dimensions that ``data_layout`` of the descriptor says, as
        the outputs then have; none, if it says nothing.
    free_output_type
        The output's type is the caller's choice.
    canonical
        The layer type that backends see in its stead.
    canonical_operation
        The operation of that layer type which it stands for.
    canonical_types
        The data types of the input and the output for which it does so.
    canonical_inverse
        The field of its descriptor, a permutation, that is inverse there.
    """

    doc: str
    since: int = 0
    operands: tuple[str, ...] = ("input",)
    variadic: bool = False
    outputs: tuple[str, ...] | None = ("output",)
    types: TypeGroup = "any"
    operand_types: tuple[tuple[int, TypeGroup], ...] = ()
    quantization: Literal["calculates", "moves", "none"] = "moves"
    arithmetic: Literal["exact", "element", "function", "normalize", "sum", "none"] = "exact"
    shape: Literal["same", "broadcast", "reduce", "custom", "stated"] = "custom"
    output_type: DataType | None = None
    host: bool = False
    moves_memory: bool = False
    opaque: bool = False
    pointwise: bool = False
    permutable: bool = False
    permutable_if: tuple[tuple[str, int], ...] = ()
    permuted_operands: tuple[int, ...] = ()
    operand_ranks: tuple[tuple[int, int], ...] = ()
    laid_out_operands: tuple[int, ...] = ()
    free_output_type: bool = False
    canonical: LayerType | None = None
    canonical_operation: IntEnum | None = None
    canonical_types: tuple[DataType, DataType] | None = None
    canonical_inverse: str = ""


class FactsByType(dict["LayerType", LayerFacts]):
    """The facts of all layer types, each made when somebody asks for it.

    Parameters
    ----------
    stated
        By layer type: the fields that differ from their defaults.
    """

    def __init__(self, stated: dict[LayerType, dict[str, Any]]) -> None:
        super().__init__()
        self._stated = stated

    def __missing__(self, layer_type: LayerType) -> LayerFacts:
        made = self[layer_type] = LayerFacts(**self._stated[layer_type])
        return made

    def __contains__(self, layer_type: object) -> bool:
        return layer_type in self._stated

    def __len__(self) -> int:
        return len(self._stated)

    def __iter__(self) -> Iterator[LayerType]:
        return iter(self._stated)

    def get(self, layer_type: LayerType, default: Any = None) -> Any:
        """Return the facts of a layer type, or the default."""
        return self[layer_type] if layer_type in self._stated else default

    def keys(self) -> KeysView[LayerType]:  # type: ignore[override]
        """All layer types, in the order of the table."""
        return self._stated.keys()

    def values(self) -> ValuesView[LayerFacts]:  # type: ignore[override]
        """The facts of all of them."""
        return dict(self.items()).values()

    def items(self) -> ItemsView[LayerType, LayerFacts]:  # type: ignore[override]
        """Both."""
        return {layer_type: self[layer_type] for layer_type in self._stated}.items()
