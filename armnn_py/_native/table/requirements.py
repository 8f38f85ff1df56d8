# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The requirements of a workload, read from the backend and checked."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.memory.read_memory import NonsenseError, read_array, read_struct
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Largest alignment that the header allows a workload to ask for: a page. So many bytes behind an
#: input may be read, too.
MAX_ALIGNMENT = 4096

#: A larger size is a mistake of the backend.
_MAX_SIZE = 1 << 46

_SIZES = {
    "scratch_size": "of scratch",
    "persistent_size": "that persist",
    "packed_size": "for what it packed",
    "shared_size": "that others packed",
}


class TensorNeeds(Struct, frozen=True):
    """The requirements of a workload on one tensor: an ``armnn_tensor_needs_t``."""

    alignment: int = 0
    readable_bytes: int = 0
    in_place_mask: int = 0
    flags: int = 0


_NOTHING = TensorNeeds()


class Requirements(Struct, frozen=True):
    """A workload's stated requirements, with the header's defaults filled in.

    ``inputs`` and ``outputs`` are empty if no tensor has needs of its own.
    """

    scratch_size: int = 0
    scratch_alignment: int = 64
    tensor_alignment: int = 64
    in_place_mask: int = 0
    consumed_mask: int = 0
    inputs: tuple[TensorNeeds, ...] = ()
    outputs: tuple[TensorNeeds, ...] = ()
    persistent_size: int = 0
    packed_size: int = 0
    operations: int = 0
    expected_ns: int = 0
    flags: int = 0
    shared_size: int = 0

    @property
    def is_serial(self) -> bool:
        """Whether no two of its executes may overlap."""
        return bool(self.flags & abi.ARMNN_WORKLOAD_SERIAL)

    def input_alignment(self, index: int) -> int:
        """The alignment of an input's address."""
        return self._alignment(self.inputs, index)

    def output_alignment(self, index: int) -> int:
        """The alignment of an output's address."""
        return self._alignment(self.outputs, index)

    def _alignment(self, needs: tuple[TensorNeeds, ...], index: int) -> int:
        return (needs[index].alignment if needs else 0) or self.tensor_alignment

    def readable_behind_input(self, index: int) -> int:
        """How many bytes behind an input may be read."""
        return self.inputs[index].readable_bytes if self.inputs else 0

    def readable_behind_output(self, index: int) -> int:
        """How many bytes behind an output may be read."""
        return self.outputs[index].readable_bytes if self.outputs else 0

    def consumes(self, index: int) -> bool:
        """Whether an input was packed, so that it needs no address."""
        own = self.inputs[index].flags if self.inputs else 0
        return bool(self.consumed_mask >> index & 1) or bool(own & abi.ARMNN_NEEDS_CONSUMED)

    def may_be_in_place(self, output: int, index: int) -> bool:
        """Whether an output may take the memory of an input."""
        mask = self.outputs[output].in_place_mask if self.outputs else 0
        if not output:
            mask |= self.in_place_mask
        return bool(mask >> index & 1)


def ask_requirements(
    api: Any, workload: Any, where: str, input_count: int, output_count: int
) -> Requirements:
    """Ask a workload what it needs.

    Parameters
    ----------
    api
        Its table.
    workload
        The workload.
    where
        Backend and layer, for messages.
    input_count, output_count
        How many operands its layer has.

    Raises
    ------
    BackendError
        It asks for what cannot be.
    """
    struct = abi.armnn_workload_requirements_t()
    struct.header.struct_size = ctypes.sizeof(struct)
    struct.header.struct_type = abi.ARMNN_STRUCT_WORKLOAD_REQUIREMENTS
    if api.get_requirements:
        api.get_requirements(workload, ctypes.byref(struct))
    _check_alignments(
        where, (("scratch", struct.scratch_alignment), ("tensors", struct.tensor_alignment))
    )
    for member, what in _SIZES.items():
        size = int(getattr(struct, member))
        if size > _MAX_SIZE:
            raise _error(where, f"a workload asks for {size} bytes {what}")
    _check_flags(where, "flags", struct.flags, abi.ARMNN_WORKLOAD_SERIAL)
    if struct.persistent_size and api.create_workload_data:
        raise _error(
            where,
            f"a workload asks for {struct.persistent_size} persistent bytes and has "
            "create_workload_data",
            "it can have one of them: both are the workload_data of execute",
        )
    inputs, outputs = _read_tensors(struct.tensors, where, input_count, output_count)
    return Requirements(
        struct.scratch_size,
        struct.scratch_alignment or 64,
        struct.tensor_alignment or 64,
        struct.in_place_mask,
        struct.consumed_mask,
        inputs,
        outputs,
        struct.persistent_size,
        struct.packed_size,
        struct.operations,
        struct.expected_ns,
        struct.flags,
        min(struct.shared_size, struct.packed_size),
    )


def _read_tensors(
    pointer: Any, where: str, input_count: int, output_count: int
) -> tuple[tuple[TensorNeeds, ...], tuple[TensorNeeds, ...]]:
    if not pointer:
        return (), ()
    kind = ctypes.POINTER(abi.armnn_tensor_needs_t)
    needs = []
    try:
        items = read_array(pointer, kind, input_count + output_count, "its tensors")
        for number, item in enumerate(items):
            is_input = number < input_count
            what = f"input {number}" if is_input else f"output {number - input_count}"
            needs.append(_read_needs(item, where, what, is_input) if item else _NOTHING)
    except NonsenseError as error:
        raise _error(where, f"a workload's requirements make no sense: {error}") from None
    return tuple(needs[:input_count]), tuple(needs[input_count:])


def _read_needs(pointer: Any, where: str, what: str, is_input: bool) -> TensorNeeds:
    struct = read_struct(
        pointer,
        abi.armnn_tensor_needs_t,
        abi.ARMNN_STRUCT_TENSOR_NEEDS,
        f"what it needs of {what}",
        least="reserved",
    )
    _check_alignments(where, ((what, struct.alignment),))
    _check_flags(where, f"flags of {what}", struct.flags, abi.ARMNN_NEEDS_CONSUMED)
    if struct.readable_bytes > MAX_ALIGNMENT:
        raise _error(
            where,
            f"a workload asks for {struct.readable_bytes} readable bytes behind {what}",
            f"{MAX_ALIGNMENT} is the limit",
        )
    member = "in_place_mask" if is_input else "flags"
    if getattr(struct, member):
        raise _error(
            where,
            f"a workload states {member} of {what}",
            f"{member} is for {'outputs' if is_input else 'inputs'} only",
        )
    return TensorNeeds(struct.alignment, struct.readable_bytes, struct.in_place_mask, struct.flags)


def _check_alignments(where: str, alignments: Iterable[tuple[str, int]]) -> None:
    for what, value in alignments:
        if value & (value - 1) or value > MAX_ALIGNMENT:
            raise _error(
                where,
                f"a workload asks for {what} aligned to {value} bytes",
                f"an alignment is a power of two up to {MAX_ALIGNMENT}",
            )


def _check_flags(where: str, what: str, flags: int, known: int) -> None:
    unknown = flags & ~known
    if unknown:
        bits = ", ".join(str(bit) for bit in range(32) if unknown >> bit & 1)
        raise _error(where, f"a workload's {what} 0x{flags:x} have bits that mean nothing: {bits}")


def _error(where: str, words: str, hint: str = "report it to the backend's vendor") -> BackendError:
    backend, _, layer = where.partition(", ")
    return BackendError(
        f"{backend}: {words}", details=[f"get_requirements of {layer}"], hints=[hint]
    )
