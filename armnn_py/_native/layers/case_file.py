# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The file of cases for ``run_cases``: C structures in memory, with offsets for pointers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.layers.layer_structs import LayerStructs
from armnn_py._native.layers.tensor_structs import with_header

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_MAGIC = int.from_bytes(b"ANCASES1", "little")
_ALIGNMENT = 64  # of constants, as the header demands


class _Run(ctypes.Structure):
    _fields_ = (("inputs", ctypes.c_uint64), ("layout", ctypes.c_uint64))


class _Case(ctypes.Structure):
    _fields_ = (
        ("query", abi.armnn_layer_query_t),
        ("info", abi.armnn_workload_info_t),
        ("batch", ctypes.c_uint64),
        ("run_count", ctypes.c_uint64),
        ("runs", ctypes.c_uint64),
    )


class _Head(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint64)
        for name in ("magic", "case_size", "case_count", "cases", "pointer_count", "pointers",
                     "note", "note_size")
    )  # fmt: skip


class _Image:
    """Memory that is being filled: structures whose pointers are offsets in it."""

    def __init__(self) -> None:
        self.bytes = bytearray(ctypes.sizeof(_Head))
        self.pointers: list[int] = []
        self._arrays: dict[bytes, int] = {}

    def put(self, data: bytes | ctypes.Structure | ctypes.Array[Any]) -> int:
        """Append bytes, and return where they are."""
        self.bytes += bytes(-len(self.bytes) % _ALIGNMENT)
        place = len(self.bytes)
        self.bytes += bytes(data)
        return place

    def point(self, place: int, target: int | None) -> None:
        """Make a pointer of eight bytes at a place; None: null."""
        self.bytes[place : place + 8] = (target or 0).to_bytes(8, "little")
        if target is not None:
            self.pointers.append(place)

    def point_members(self, place: int, kind: type[Any], targets: Mapping[str, int | None]) -> None:
        """Make pointers of members of the structure at a place."""
        for member, target in targets.items():
            self.point(place + getattr(kind, member).offset, target)

    def pointers_to(self, targets: Sequence[int | None]) -> int:
        """Append an array of pointers."""
        place = self.put(bytes(8 * max(len(targets), 1)))
        for index, target in enumerate(targets):
            self.point(place + 8 * index, target)
        return place

    def array(self, value: NDArray[Any]) -> int:
        """Return the place of an array's bytes; equal ones lie there once."""
        data = np.ascontiguousarray(value).tobytes()
        if data not in self._arrays:
            self._arrays[data] = self.put(data)
        return self._arrays[data]


def _put_info(image: _Image, info: Any) -> int | None:
    if info is None:
        return None
    count = info.quantization_count
    place = image.put(info)
    targets = {
        member: image.put(ctypes.string_at(getattr(info, member), 4 * count)) if count else None
        for member in ("scales", "zero_points")
    }
    image.point_members(place, type(info), targets)
    return place


def _put_descriptor(image: _Image, struct: Any, descriptor: Any) -> int | None:
    if struct is None:
        return None
    place = image.put(struct)
    views = getattr(descriptor, "views", None)
    if views is not None:
        size = len(views) * ctypes.sizeof(abi.armnn_view_t)
        target = image.put(ctypes.string_at(struct.views, size)) if size else None
        image.point_members(place, type(struct), {"views": target})
    return place


class CaseFile:
    """The bytes of a file of cases, to which cases are added one by one.

    Parameters
    ----------
    count
        How many cases there will be.
    """

    def __init__(self, count: int) -> None:
        self._image = _Image()
        self._count, self._added = count, 0
        self._first = self._image.put(bytes(count * ctypes.sizeof(_Case)))

    def add(
        self,
        name: str,
        layer: tuple[Any, ...],
        runs: Sequence[tuple[Sequence[NDArray[Any] | None], int]],
        batch: int,
    ) -> None:
        """Add a case.

        Parameters
        ----------
        name
            Its name.
        layer
            Its type, descriptor, infos of inputs and outputs, and which inputs are constant.
        runs
            For each run of it the operands, None where one is absent, and the number of the layout.
        batch
            Cases with the same number share a process.
        """
        image, place = self._image, self._first + self._added * ctypes.sizeof(_Case)
        self._added += 1
        layer_type, descriptor, inputs, outputs, are_constant = layer
        constants = [
            np.asarray(value) if is_constant and value is not None else None
            for value, is_constant in zip(runs[0][0], are_constant, strict=True)
        ]
        structs = LayerStructs(layer_type, descriptor, inputs, outputs, constants)
        infos = [_put_info(image, info) for info in structs.inputs]
        shared = {
            "descriptor": _put_descriptor(image, structs.descriptor, descriptor),
            "input_infos": image.pointers_to(infos),
            "output_infos": image.pointers_to([_put_info(image, one) for one in structs.outputs]),
        }
        known = [_put_constant(image, *one) for one in zip(infos, constants, strict=True)]
        called = name.encode()
        case = _Case(query=structs.query(), batch=batch, run_count=len(runs))
        case.info = structs.workload_info(self._added, name)
        image.bytes[place : place + ctypes.sizeof(_Case)] = bytes(case)
        image.point_members(place + _Case.query.offset, abi.armnn_layer_query_t, shared)
        more = {**shared, "constants": image.pointers_to(known), "name": image.put(called)}
        image.point_members(place + _Case.info.offset, abi.armnn_workload_info_t, more)
        image.point(place + _Case.runs.offset, self._put_runs(runs))

    def _put_runs(self, runs: Sequence[tuple[Sequence[NDArray[Any] | None], int]]) -> int:
        image = self._image
        first = image.put((_Run * len(runs))(*[_Run(0, layout) for _, layout in runs]))
        for number, (values, _) in enumerate(runs):
            operands = [None if one is None else image.array(one) for one in values]
            image.point(first + number * ctypes.sizeof(_Run), image.pointers_to(operands))
        return first

    def finished(self, note: bytes) -> bytearray:
        """Return the bytes of the file; the results of its cases begin with the note."""
        image = self._image
        head = _Head(_MAGIC, ctypes.sizeof(_Case), self._count, self._first)
        head.note, head.note_size = image.put(note), len(note)
        image.pointers += [_Head.cases.offset, _Head.note.offset]
        head.pointer_count = len(image.pointers)
        head.pointers = image.put(np.array(image.pointers, "<u8").tobytes())
        image.bytes[: ctypes.sizeof(_Head)] = bytes(head)
        return image.bytes


def _put_constant(image: _Image, info: int | None, value: NDArray[Any] | None) -> int | None:
    if info is None or value is None:
        return None
    struct = abi.armnn_const_tensor_t()
    with_header(struct, abi.ARMNN_STRUCT_CONST_TENSOR)
    struct.size = value.nbytes
    place = image.put(struct)
    image.point_members(place, type(struct), {"info": info, "data": image.array(value)})
    return place
