# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The view of a node that a converter gets: its operands, its attributes, and the emitter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.origins import origins
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import (
    Array,
    Known,
    NotKnown,
    Unsupported,
    Value,
    dense,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.tensors import Unreadable
from armnn_py.symbolic import as_size

_KINDS = {
    int: "an integer",
    float: "a float",
    str: "text",
    bytes: "bytes that are not text",
    list: "a list",
    np.ndarray: "a tensor",
    Body: "a graph",
}
"""Names of attribute types in messages."""

_T = TypeVar("_T")
Call = Callable[["Body", Sequence[Value], Sequence[str], str], list[Value]]


#: In the unit of `work_budget`.
_WORK_OF_A_WEIGHT = 32


class NodeView:
    """One node during conversion.

    Attributes
    ----------
    emit
        Adds layers, or computes what is known.
    version
        Operator set version of the node's domain.
    may_run_apart
        Whether a loop that makes many layers may run by itself.
    """

    def __init__(
        self,
        node: Node,
        version: int,
        values: Sequence[Value | TensorList | None],
        emit: Emitter,
        used: frozenset[str],
        *,
        derived: Callable[[int, str], Any] | None = None,
        call: Call | None = None,
        may_run_apart: bool = False,
        prepared: dict[int, Any] | None = None,
    ) -> None:
        self.node = node
        self.version = version
        self.emit = emit
        self._values = values
        self._used = used
        self._derived = derived
        self._call = call
        self._prepared = prepared
        self.may_run_apart = may_run_apart

    # ---- Operands -------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many operands are named, absent ones at the end left out."""
        count = len(self._values)
        while count and self._values[count - 1] is None:
            count -= 1
        return count

    def has(self, index: int) -> bool:
        """Return whether an optional operand is given."""
        return index < len(self._values) and self._values[index] is not None

    def anything(self, index: int) -> Value | TensorList:
        """Return an operand that must be there, a tensor or a sequence."""
        value = self._values[index] if index < len(self._values) else None
        if value is None:
            raise ParseError(f"input {index} is missing")
        return value

    def value(self, index: int) -> Value:
        """Return an operand that must be there."""
        value = self.anything(index)
        if isinstance(value, TensorList):
            raise Unsupported("a sequence as an operand")
        return value

    def sequence(self, index: int) -> TensorList:
        """Return a sequence that must be there."""
        value = self.anything(index)
        if not isinstance(value, TensorList):
            raise ParseError(f"input {index} is a tensor, expected a sequence")
        return value

    def values(self) -> list[Value]:
        """Return all operands of an operator that takes any number of them."""
        if not self._values:
            raise ParseError("the operator has no inputs, expected at least one")
        return [self.value(index) for index in range(len(self._values))]

    def shape(self, index: int) -> tuple[int, ...]:
        """Return the shape of an operand."""
        return shape_of(self.value(index))

    def dtype(self, index: int) -> np.dtype[Any]:
        """Return the dtype of an operand."""
        return dtype_of(self.value(index))

    def rank(self, index: int) -> int:
        """Return the rank of an operand."""
        return len(self.shape(index))

    def is_known(self, index: int) -> bool:
        """Return whether the elements of an operand are known; does not compute them."""
        return index < len(self._values) and isinstance(self._values[index], Known)

    def known(self, index: int) -> Array | None:
        """Return the elements of an operand that is known, or ``None``."""
        value = self._values[index] if index < len(self._values) else None
        return value.array if isinstance(value, Known) else None

    def constant(self, index: int, what: str) -> Array:
        """Return the elements of an operand that shapes depend on, which must be known."""
        array = self.known(index)
        if array is None:
            self.value(index)
            raise NotKnown(f"{what} computed at run time", index)
        return array

    def depends_on_inputs(self, index: int) -> bool:
        """Return whether an operand could be known if values of inputs were."""
        return origins(self.value(index)) is not None

    def integers(self, index: int, what: str) -> list[int]:
        """Return a known operand as integers."""
        value = self.value(index)
        if not isinstance(value, Known):
            raise NotKnown(f"{what} computed at run time", index)
        if value.dtype.kind not in "iu":
            raise ParseError(f"{what} must be of an integer type, not {value.dtype}")
        return [as_size(item) for item in value.elements.reshape(-1)]

    def single(self, index: int, what: str) -> Any:
        """Return a known operand of one element: a plain number or a symbolic size."""
        value = self.value(index)
        if not isinstance(value, Known):
            raise NotKnown(f"{what} computed at run time", index)
        item = value.elements.reshape(-1)[0]
        return item.item() if isinstance(item, np.generic) else item

    def wants(self, output: int) -> bool:
        """Return whether anything reads this output."""
        outputs = self.node.outputs
        return output < len(outputs) and outputs[output] in self._used

    def refuse_outputs(self, first: int, what: str) -> None:
        """Raise if an output that no layer makes is read."""
        for output in range(first, len(self.node.outputs)):
            if self.wants(output):
                raise Unsupported(f"{what} as an output")

    def derived(self, index: int, form: str, make: Callable[[Array], Array]) -> Known:
        """Return a known operand in another form, made once per model for a weight."""
        array = self.known(index)
        assert array is not None
        cache = self._derived(index, form) if self._derived else None
        if cache is None:
            return Known(make(array))
        store, key = cache
        if key not in store:
            if not self.emit.affordable(_WORK_OF_A_WEIGHT * array.size):
                raise Unsupported("more weights to rearrange at import than the file is large for")
            store[key] = Known(dense(make(array)))
        result = store[key]
        self.emit.name_constant(result, f"{self.node.inputs[index]}/{form}")
        return result  # type: ignore[no-any-return]

    def over(self, values: Sequence[Value | TensorList | None]) -> NodeView:
        """Return the same node over other operands."""
        return NodeView(self.node, self.version, values, self.emit, self._used)

    def once(self, make: Callable[[], _T]) -> _T:
        """Return what ``make`` makes of the attributes, which is kept for all runs if it can be."""
        if self._prepared is None:
            return make()
        found: _T | None = self._prepared.get(self.node.index)
        if found is None:
            found = self._prepared[self.node.index] = make()
        return found

    # ---- Bodies ---------------------------------------------------------------------------------

    def body(self, name: str) -> Body:
        """Return the graph in an attribute that must be there."""
        body = self.node.attributes.get(name)
        if not isinstance(body, Body):
            raise ParseError(f"attribute {quoted(name)} is not a graph")
        return body

    def call(
        self, body: Body, values: Sequence[Value], names: Sequence[str] = (), turn: str = ""
    ) -> list[Value]:
        """Convert a body for these values of its inputs; return those of its outputs.

        ``names`` are those of the values in the graph of the node, where they have one; ``turn``
        tells the turns of a loop apart in names of layers.
        """
        assert self._call is not None
        return self._call(body, values, names, turn)

    # ---- Attributes -----------------------------------------------------------------------------

    def _attribute(self, name: str, kinds: tuple[type, ...], default: Any) -> Any:
        value = self.node.attributes.get(name)
        if value is None:
            return default
        if isinstance(value, Unreadable):
            raise Unsupported(value.reason)
        if not isinstance(value, kinds):
            wanted = _KINDS[kinds[0]]
            found = _KINDS.get(type(value), "of another kind")
            raise ParseError(f"attribute {quoted(name)} is {found}, {wanted} expected")
        return value

    def integer(self, name: str, default: int = 0) -> int:
        """Return an integer attribute."""
        return int(self._attribute(name, (int,), default))

    def flag(self, name: str) -> bool:
        """Return an integer attribute that is 0, as where it is not given, or 1."""
        value = self.integer(name)
        if value not in (0, 1):
            raise ParseError(f"attribute {quoted(name)} is {value}, 0 or 1 expected")
        return value == 1

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a float attribute."""
        return float(self._attribute(name, (float,), default))

    def text(self, name: str, default: str = "") -> str:
        """Return a string attribute."""
        return str(self._attribute(name, (str,), default))

    def ints(self, name: str) -> list[int] | None:
        """Return a list of integers, or ``None`` where it is not given."""
        value = self._attribute(name, (list,), None)
        if value is not None and not all(isinstance(item, int) for item in value):
            raise ParseError(f"attribute {quoted(name)} is not a list of integers")
        return value  # type: ignore[no-any-return]

    def floats(self, name: str) -> list[float] | None:
        """Return a list of floats, or ``None`` where it is not given."""
        value = self._attribute(name, (list,), None)
        if value is not None and not all(isinstance(item, float) for item in value):
            raise ParseError(f"attribute {quoted(name)} is not a list of floats")
        return value  # type: ignore[no-any-return]

    def texts(self, name: str) -> list[str] | None:
        """Return a list of strings, or ``None`` where it is not given."""
        value = self._attribute(name, (list,), None)
        if value is not None and not all(isinstance(item, str) for item in value):
            raise ParseError(f"attribute {quoted(name)} is not a list of texts")
        return value  # type: ignore[no-any-return]

    def tensor(self, name: str) -> Array | None:
        """Return a tensor attribute, or ``None`` where it is not given."""
        value = self._attribute(name, (np.ndarray,), None)
        return value  # type: ignore[no-any-return]

    def axis(self, name: str, default: int | None, rank: int) -> int:
        """Return an axis attribute counted from the front."""
        value = self.node.attributes.get(name)
        if value is None and default is None:
            raise ParseError(f"attribute {quoted(name)} is missing")
        return normal_axis(self.integer(name, default or 0), rank)
