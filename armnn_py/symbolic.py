# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sizes as formulas of free dimensions, so that what is done for one shape holds for others.

A `SymbolicSize` takes the place of an integer while a network is converted and simplified for one
set of input shapes. It has the number of that shape and computes as one, but its `SizeTrace`
records each formula, and each answer that decided anything: comparisons, and uses as a plain
number. `SizeTrace.compile` makes a function of the free dimensions that gives the numbers for
other shapes, or None where one of the answers would be another.

It is not an ``int``, so that whatever looks at the number must call a method, which records it: an
answer that was not recorded cannot decide anything.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

Evaluate: TypeAlias = "Callable[[Sequence[int]], list[int] | None]"
"""Takes the free dimensions; returns the numbers of all sizes of a trace in their order."""

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
}
_INTEGERS = (int, np.integer)


class SizeTrace:
    """The formulas and answers of one conversion; used by one thread at a time."""

    __slots__ = ("_answers", "_free", "_known", "closed")

    def __init__(self) -> None:
        self._free = 0
        self._known: dict[str, SymbolicSize] = {}
        self._answers: dict[str, bool] = {}
        #: No answer may be added any more.
        self.closed = False

    def free(self, number: int) -> int:
        """Return the size of the next free dimension, which is ``number`` now.

        A dimension of 0 or 1 is a plain number, as other sizes of it would be treated otherwise
        nearly everywhere. So is a negative number, which an input may have.
        """
        formula = f"free[{self._free}]"
        self._free += 1
        if number < 2:
            self.expect(f"{formula} == {number}", True)
            return number
        return self._size(formula, 0, number)  # type: ignore[return-value]

    def _size(self, base: str, offset: int, number: int) -> SymbolicSize:
        formula = f"{base} + ({offset})" if offset else base
        known = self._known.get(formula)
        if known is None:
            known = SymbolicSize(self, len(self._known), number, offset, base)
            self._known[formula] = known
        return known

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        """Return the size that is an operation of two integers."""
        if sign in "+*" and type(right) is SymbolicSize and _name(left) > _name(right):
            left, right = right, left
        number = _ARITHMETIC[sign](_number(left), _number(right))
        if type(left) is SymbolicSize and sign in "+-":
            # Numbers added one after the other are summed up, so that size + 1 - 1 is size.
            if type(right) is not SymbolicSize:
                shift = int(right) if sign == "+" else -int(right)
                return self._size(left.base or f"s{left.index}", left.offset + shift, number)
            if sign == "-" and left.base == right.base:
                return left.offset - right.offset
        return self._size(f"({_name(left)} {sign} {_name(right)})", 0, number)

    def compare(self, sign: str, left: Any, right: Any) -> bool:
        """Return, and record, the answer of a comparison of two integers."""
        answer = _COMPARISONS[sign](_number(left), _number(right))
        if left is not right:
            self.expect(f"{_name(left)} {sign} {_name(right)}", answer)
        return answer

    def expect(self, question: str, answer: bool) -> None:
        """Record an answer that other shapes must also give."""
        assert not self.closed, f"asked after the end of a trace: {question}"
        self._answers.setdefault(question, answer)

    @property
    def numbers(self) -> list[int]:
        """The numbers of all sizes in the order of `compile`, for the shapes of the trace."""
        return [size.number for size in self._known.values()]

    def go_on_with(self, numbers: Sequence[int]) -> None:
        """Make the trace one of other shapes, which give all of its answers.

        ``numbers`` are those that the compiled trace returns for these shapes.
        """
        for size, number in zip(self._known.values(), numbers, strict=True):
            size.number = number

    @property
    def answers(self) -> dict[str, bool]:
        """The answers that shapes must give, by question: a formula of sizes."""
        return dict(self._answers)

    def compile(self) -> Evaluate:
        """Return the function of the free dimensions, for what was recorded up to now."""
        lines = ["def evaluate(free):", " try:"]
        lines += [f"  s{index} = {formula}" for index, formula in enumerate(self._known)]
        for question, answer in self._answers.items():
            lines.append(f"  if {'not ' if answer else ''}({question}): return None")
        sizes = ", ".join(f"s{index}" for index in range(len(self._known)))
        lines += [f"  return [{sizes}]", " except ZeroDivisionError: return None"]
        scope: dict[str, Any] = {}
        exec("\n".join(lines), {"__builtins__": {"ZeroDivisionError": ZeroDivisionError}}, scope)
        evaluate: Evaluate = scope["evaluate"]
        return evaluate


def _number(value: Any) -> int:
    return value.number if type(value) is SymbolicSize else int(value)


def _name(value: Any) -> str:
    return f"s{value.index}" if type(value) is SymbolicSize else f"({int(value)})"


class SymbolicSize:
    """A size that other shapes give another number.

    Attributes
    ----------
    number
        The number for the shapes of the trace. For display only; never branch on it.
    index
        Its place in what the compiled trace returns.
    base, offset
        The formula without the number that is added last, and that number.
    """

    __slots__ = ("base", "index", "number", "offset", "trace")

    __array_ufunc__ = None  # numpy's integers leave operations to the methods here

    def __init__(self, trace: SizeTrace, index: int, number: int, offset: int, base: str) -> None:
        self.trace = trace
        self.index = index
        self.number = number
        self.offset = offset
        self.base = base

    def pin(self) -> int:
        """Return the number, and record that other shapes must give the same."""
        self.trace.expect(f"s{self.index} == ({self.number})", True)
        return self.number

    # ---- As a plain number -------------------------------------------------------------------

    def __index__(self) -> int:
        return self.pin()

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.pin())

    def __hash__(self) -> int:
        # A cache would outlive the trace, and compare the size with those of other networks.
        raise TypeError("a symbolic size is not a key")

    def __bool__(self) -> bool:
        return not self.trace.compare("==", self, 0)

    def __repr__(self) -> str:
        return str(self.number)  # texts decide nothing

    def __format__(self, spec: str) -> str:
        return format(self.number, spec)

    # ---- Arithmetic --------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._behind("+", other)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._behind("-", other)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._behind("*", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._with("//", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._behind("//", other)

    def __mod__(self, other: Any) -> Any:
        return self._with("%", other)

    def __rmod__(self, other: Any) -> Any:
        return self._behind("%", other)

    def __truediv__(self, other: Any) -> Any:
        return self.pin() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.pin()

    def __neg__(self) -> Any:
        return self.trace.combine("-", 0, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def _with(self, sign: str, other: Any) -> Any:
        if type(other) is SymbolicSize or isinstance(other, _INTEGERS):
            if not isinstance(other, SymbolicSize) and other == (0 if sign in "+-" else 1):
                return 0 if sign == "%" else self
            return self.trace.combine(sign, self, other)
        return _ARITHMETIC[sign](self.pin(), other)

    def _behind(self, sign: str, other: Any) -> Any:
        if isinstance(other, _INTEGERS):
            if (sign == "+" and other == 0) or (sign == "*" and other == 1):
                return self
            return self.trace.combine(sign, other, self)
        return _ARITHMETIC[sign](other, self.pin())

    # ---- Comparisons -------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self._compare("==", other, operator.eq)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return self._compare("<", other, operator.lt)

    def __le__(self, other: Any) -> bool:
        return self._compare("<=", other, operator.le)

    def __gt__(self, other: Any) -> bool:
        return not self._compare("<=", other, operator.le)

    def __ge__(self, other: Any) -> bool:
        return not self._compare("<", other, operator.lt)

    def _compare(self, sign: str, other: Any, compute: Callable[[Any, Any], bool]) -> bool:
        if type(other) is SymbolicSize or isinstance(other, _INTEGERS):
            return self.trace.compare(sign, self, other)
        if isinstance(other, (float, np.floating)):
            return compute(self.pin(), other)
        if sign == "==":
            return False
        raise TypeError(f"a size compared with {type(other).__name__}")


def is_symbolic(value: object) -> bool:
    """Whether a number is a symbolic size."""
    return type(value) is SymbolicSize


def number_of(value: int) -> int:
    """Return the number of a size for the shapes of its trace, without a record.

    The caller must do the same for all other shapes.
    """
    return _number(value)


def as_size(value: Any) -> int:
    """Return an integer, as ``operator.index``, but leave a symbolic size as it is.

    Raises
    ------
    TypeError
        It is not an integer.
    """
    if type(value) is SymbolicSize:
        return value  # type: ignore[return-value]
    return operator.index(value)
