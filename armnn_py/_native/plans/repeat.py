# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The native executor's loop over one context: the turns of a loop without Python in between."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.library import core
from armnn_py._native.plans.signal_gate import INTERRUPT_INTERVAL_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.plans.context import NativeContext


class NativeRepeat:
    """A loop over the addresses in ``inputs`` and ``outputs`` of a context, which each turn moves.

    Parameters
    ----------
    context
        The context.
    strides
        Bytes from turn to turn, of each input and then of each output.
    carries
        Values that one turn hands to the next: input and output.
    counter
        Address of an int64 that counts the turns; 0: none.
    goes_on
        The output that ends the loop; None: none.

    Attributes
    ----------
    call
        The native function that runs turns up to a pause, and its argument; see `NativeContext`.
    """

    __slots__ = ("_carries", "_strides", "_struct", "call")

    def __init__(
        self,
        context: NativeContext,
        strides: Sequence[int],
        carries: Sequence[tuple[int, int]],
        counter: int,
        goes_on: int | None,
    ) -> None:
        self._strides = (ctypes.c_int64 * max(len(strides), 1))(*strides)
        self._carries = (abi.armnn_carry_t * max(len(carries), 1))(
            *(abi.armnn_carry_t(*one) for one in carries)
        )
        self._struct = repeat = abi.armnn_repeat_t()
        repeat.header.struct_size = ctypes.sizeof(repeat)
        repeat.header.struct_type = abi.ARMNN_STRUCT_REPEAT
        repeat.run = context.run_pointer
        repeat.inputs, repeat.outputs = context.inputs, context.outputs
        repeat.strides, repeat.carries = self._strides, self._carries
        repeat.carry_count = len(carries)
        if counter:
            repeat.counter = ctypes.cast(counter, type(repeat.counter))
        repeat.goes_on = abi.ARMNN_PLAN_NONE if goes_on is None else goes_on
        repeat.pause_ns = INTERRUPT_INTERVAL_NS
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(
            ("armnn_context_repeat", core())
        )
        self.call = (function, ctypes.addressof(repeat))

    def begin(self) -> None:
        """Begin at the first turn."""
        self._struct.turns = self._struct.is_ended = 0

    def set_second(self, carry: int, address: int) -> None:
        """Give the output of a carry a second buffer; without one it moves by its stride."""
        self._carries[carry].next = address

    @property
    def turns(self) -> int:
        """How many turns are done."""
        return int(self._struct.turns)

    @property
    def is_ended(self) -> bool:
        """Whether the condition has ended the loop."""
        return bool(self._struct.is_ended)

    def limit(self, turns: int) -> None:
        """End after so many turns, those done before included."""
        self._struct.most = turns
