# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuAcc's operators, each by itself, on numpy arrays of any strides.

An array is handed over as it lies: views with gaps, repeated (stride 0) or reversed dimensions are
what the operators see. Operators run on one thread, and on three that take the chunks from the end.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi

from .instruction_sets import available
from .mirror import Headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

UNSUPPORTED = "unsupported"

HEADERS = Headers("ops/ops.h")
FUNCTIONS = tuple(
    name.removeprefix("ARMNN_ACC_").lower()
    for name in HEADERS.enums["function"]
    if name != "ARMNN_ACC_FUNCTION_COUNT"
)

CHOICES = tuple(name.removeprefix("ARMNN_ACC_").lower() for name in HEADERS.enums["choice"])

STORED = tuple(
    name.removeprefix("ARMNN_ACC_STORED_").lower()
    for name in HEADERS.enums["stored"]
    if name != "ARMNN_ACC_STORED_COUNT"
)

Element: Any = HEADERS.structs["element"]
Tensor: Any = HEADERS.structs["tensor"]
Epilogue: Any = HEADERS.structs["epilogue"]
Convolution: Any = HEADERS.structs["convolution"]
Separable: Any = HEADERS.structs["separable"]
Matmul: Any = HEADERS.structs["matmul"]
Attention: Any = HEADERS.structs["attention"]
Affine: Any = HEADERS.structs["affine"]
Pooling: Any = HEADERS.structs["pooling"]
Resize: Any = HEADERS.structs["resize"]
Unary: Any = HEADERS.structs["unary"]
Binary: Any = HEADERS.structs["binary"]
Softmax: Any = HEADERS.structs["softmax"]
Reduce: Any = HEADERS.structs["reduce"]
WholeReduce: Any = HEADERS.structs["whole_reduce"]
Normalize: Any = HEADERS.structs["normalize"]
Select: Any = HEADERS.structs["select"]
Pairs: Any = HEADERS.structs["pairs"]
Each: Any = HEADERS.structs["each"]
Cast: Any = HEADERS.structs["cast"]
Gather: Any = HEADERS.structs["gather"]
Scatter: Any = HEADERS.structs["scatter"]
Rotary: Any = HEADERS.structs["rotary"]
Search: Any = HEADERS.structs["search"]
Copy: Any = HEADERS.structs["copy"]
Pad: Any = HEADERS.structs["pad"]


_TYPES = {
    np.dtype(np.float32): abi.ARMNN_DATA_TYPE_FLOAT32,
    np.dtype(np.bool_): abi.ARMNN_DATA_TYPE_BOOLEAN,
    np.dtype(np.uint8): abi.ARMNN_DATA_TYPE_QASYMM_U8,
    np.dtype(np.int8): abi.ARMNN_DATA_TYPE_QASYMM_S8,
    np.dtype(np.int16): abi.ARMNN_DATA_TYPE_QSYMM_S16,
    np.dtype(np.int32): abi.ARMNN_DATA_TYPE_SIGNED32,
    np.dtype(np.int64): abi.ARMNN_DATA_TYPE_SIGNED64,
}


def tensor(array: np.ndarray) -> Tensor:
    """The array as it lies in memory."""
    element = Element(type=_TYPES[array.dtype], size=array.itemsize)
    result = Tensor(element, array.ndim, values=array.__array_interface__["data"][0])
    for index in range(array.ndim):
        result.dims[index] = array.shape[index]
        result.strides[index] = array.strides[index]
    return result


def address(array: np.ndarray | None) -> int | None:
    return None if array is None else int(array.ctypes.data)


def epilogue(
    function: str = "identity",
    a: float = 0.0,
    b: float = 0.0,
    *,
    residual: np.ndarray | None = None,
    residual_last: bool = False,
) -> Epilogue:
    result = Epilogue(function=FUNCTIONS.index(function), a=a, b=b, residual_last=residual_last)
    if residual is not None:
        result.has_residual, result.residual = True, tensor(residual)
    return result


class Operators:
    """The test library ``armnn_acc_operators``."""

    def __init__(self, path: str | Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.operators_isa.restype = ctypes.c_char_p
        self._library.operators_maker.restype = ctypes.c_char_p
        self._library.operators_kernel.restype = ctypes.c_char_p
        self._library.operators_scratch.restype = ctypes.c_uint64
        self._library.operators_row_blocks.restype = ctypes.c_uint64
        here = available()
        isas = self._names(self._library.operators_isa)
        needs = self._library.operators_features
        needs.restype = ctypes.c_uint64
        self.isas = {
            isa: index for index, isa in enumerate(isas) if isa in here or not needs(index)
        }
        self.makers = self._names(self._library.operators_maker)

    @contextmanager
    def winograd(self, option: str) -> Iterator[None]:
        """Convolutions are made with the backend's option ``winograd``; without, with ``off``."""
        self._library.operators_set_winograd(CHOICES.index(option))
        try:
            yield
        finally:
            self._library.operators_set_winograd(CHOICES.index("off"))

    @staticmethod
    def _names(function: Any) -> list[str]:
        names: list[str] = []
        while (name := function(len(names))) is not None:
            names.append(name.decode())
        return names

    def apply(
        self, isa: str, function: str, x: np.ndarray, a: float = 1.0, b: float = 1.0
    ) -> np.ndarray:
        """``function`` of every element, by the kernel itself."""
        out = np.empty_like(x)
        self._library.operators_apply(
            self.isas[isa],
            FUNCTIONS.index(function),
            ctypes.c_void_p(x.ctypes.data),
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_uint64(x.size),
            ctypes.c_float(a),
            ctypes.c_float(b),
        )
        return out

    def dot(
        self, isa: str, what: str, sums: np.ndarray, x: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """``sums`` and the products of ``what``, bytes or pairs, in each lane of 32 bits."""
        lanes = getattr(self._library, f"operators_lanes__{isa}")()
        assert sums.nbytes == x.nbytes == weights.nbytes
        assert sums.size % lanes == 0
        out = sums.copy()
        getattr(self._library, f"operators_dot_{what}__{isa}")(
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_void_p(x.ctypes.data),
            ctypes.c_void_p(weights.ctypes.data),
            ctypes.c_uint64(sums.size // lanes),
        )
        return out

    def fixed(self, isa: str, function: str, x: np.ndarray, whole: int) -> np.ndarray:
        """The sigmoid or tanh of numbers of 16 bits, ``whole`` of them before the point."""
        out = x.astype(np.int16)
        getattr(self._library, f"operators_{function}__{isa}")(
            ctypes.c_void_p(out.ctypes.data), ctypes.c_uint64(out.size), ctypes.c_int32(whole)
        )
        return out

    def takes_signed_bytes(self, isa: str) -> bool:
        """Whether the first side of products of bytes is signed."""
        return bool(getattr(self._library, f"operators_byte_sign__{isa}")())

    def row_blocks(
        self, rows: int, height: int, block_rows: int, begin: int, end: int
    ) -> list[tuple[int, int, int]]:
        """The blocks of tiles ``begin`` to ``end``: matrix, first row, number of rows."""
        out = np.empty((end - begin, 3), np.int64)
        count = self._library.operators_row_blocks(
            *map(ctypes.c_int64, (rows, height, block_rows, begin, end)),
            ctypes.c_void_p(out.ctypes.data),
        )
        return [(int(a), int(b), int(c)) for a, b, c in out[:count]]

    def last_loop(self) -> tuple[int, int, int]:
        """Elements, least of a chunk and most threads of the last loop of several threads."""
        out = np.zeros(3, np.uint64)
        self._library.operators_last_loop(ctypes.c_void_p(out.ctypes.data))
        return int(out[0]), int(out[1]), int(out[2])

    def refuses(self, name: str, isa: str, what: ctypes.Structure) -> bool:
        """Whether the maker refuses; what it makes is not run."""
        op = ctypes.c_void_p()
        make = getattr(self._library, f"operators_make_{name}")
        if make(self.isas[isa], 1, ctypes.byref(what), ctypes.byref(op)) != 0:
            return True
        self._library.operators_destroy(op)
        return False

    def scratch(self, name: str, isa: str, what: ctypes.Structure) -> int:
        """How many bytes of scratch the operator wants for one thread; it is not run."""
        op = ctypes.c_void_p()
        make = getattr(self._library, f"operators_make_{name}")
        assert make(self.isas[isa], 1, ctypes.byref(what), ctypes.byref(op)) == 0
        size = int(self._library.operators_scratch(op))
        self._library.operators_destroy(op)
        return size

    def run(
        self,
        name: str,
        isa: str,
        *arguments: Any,
        threads: Sequence[int] = (1, 3),
        binding: np.ndarray | None = None,
    ) -> str:
        """Make the operator and run it with each number of threads; the kernel's name.

        ``arguments`` are what the maker has between the maker and the result. ``"unsupported"``
        if the operator refuses; an error if it finds something wrong with its operands.
        """
        kernel = ""
        passed = [
            ctypes.byref(argument) if isinstance(argument, ctypes.Structure) else argument
            for argument in arguments
        ]
        for count in threads:
            op = ctypes.c_void_p()
            make = getattr(self._library, f"operators_make_{name}")
            status = make(self.isas[isa], count, *passed, ctypes.byref(op))
            if status != 0:
                return UNSUPPORTED
            scratch = np.full(self._library.operators_scratch(op) + 64, 0xFF, np.uint8)
            start = scratch.ctypes.data + -scratch.ctypes.data % 64
            words = ctypes.create_string_buffer(200)
            place = ctypes.c_void_p(address(binding))
            failed = self._library.operators_run(op, count, ctypes.c_void_p(start), place, words)
            if failed:
                self._library.operators_destroy(op)
                raise ValueError(words.value.decode())
            kernel = self._library.operators_kernel(op).decode()
            self._library.operators_destroy(op)
        return kernel
