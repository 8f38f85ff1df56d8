# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuAcc's operators, each by itself, on numpy arrays of any strides.

An array is handed over as it lies: views with gaps, repeated (stride 0) or reversed dimensions are
what the operators see. Operators run on one thread, and on three that take the chunks from the end.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_RANK = 8
UNSUPPORTED = "unsupported"

FUNCTIONS = (
    *("identity", "clamp", "leaky", "sigmoid", "tanh", "swish", "hard_swish", "hard_sigmoid"),
    *("gelu", "elu", "soft_relu", "abs", "sqrt", "square", "linear", "exp", "log", "neg"),
    *("rsqrt", "erf", "sin", "ceil", "floor", "reciprocal"),
)

# What /proc/cpuinfo must name for an instruction set to be tested here.
_NEEDS = {
    "avx512": {"avx512f", "avx512bw", "avx512vl", "avx512dq"},
    "avx2": {"avx2", "fma"},
}


class Place(ctypes.Structure):
    _fields_ = [("binding", ctypes.c_uint32), ("offset", ctypes.c_int64)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
        ("place", Place),
        ("values", ctypes.c_void_p),
    ]


class Epilogue(ctypes.Structure):
    _fields_ = [
        ("function", ctypes.c_int32),
        ("a", ctypes.c_float),
        ("b", ctypes.c_float),
        ("has_residual", ctypes.c_bool),
        ("residual_last", ctypes.c_bool),
        ("residual", Tensor),
    ]


class WindowWeights(ctypes.Structure):
    _fields_ = [
        ("values", ctypes.c_void_p),
        ("stride_o", ctypes.c_int64),
        ("stride_y", ctypes.c_int64),
        ("stride_x", ctypes.c_int64),
        ("stride_i", ctypes.c_int64),
    ]


def _int64(names: str) -> list[tuple[str, Any]]:
    return [(name, ctypes.c_int64) for name in names.split()]


class Convolution(ctypes.Structure):
    _fields_ = [
        ("input", Tensor),
        ("output", Tensor),
        ("weights", WindowWeights),
        ("bias", ctypes.c_void_p),
        *_int64("kernel_y kernel_x stride_y stride_x dilation_y dilation_x pad_top pad_left"),
        ("groups", ctypes.c_int64),
        ("epilogue", Epilogue),
    ]


class Matmul(ctypes.Structure):
    _fields_ = [
        ("left", Tensor),
        ("right", Tensor),
        ("output", Tensor),
        ("transpose_left", ctypes.c_bool),
        ("transpose_right", ctypes.c_bool),
        ("bias", ctypes.c_void_p),
        ("epilogue", Epilogue),
    ]


class Pooling(ctypes.Structure):
    _fields_ = [
        ("input", Tensor),
        ("output", Tensor),
        ("method", ctypes.c_int32),
        *_int64("kernel_y kernel_x stride_y stride_x dilation_y dilation_x"),
        *_int64("pad_top pad_left pad_bottom pad_right"),
        ("count_padding", ctypes.c_bool),
        ("epilogue", Epilogue),
    ]


class Resize(ctypes.Structure):
    _fields_ = [
        ("input", Tensor),
        ("output", Tensor),
        ("method", ctypes.c_int32),
        ("align_corners", ctypes.c_bool),
        ("half_pixel_centers", ctypes.c_bool),
    ]


class Binary(ctypes.Structure):
    _fields_ = [
        ("left", Tensor),
        ("right", Tensor),
        ("output", Tensor),
        ("operation", ctypes.c_int32),
        ("epilogue", Epilogue),
    ]


class Reduce(ctypes.Structure):
    _fields_ = [
        ("input", Tensor),
        ("output", Tensor),
        ("operation", ctypes.c_int32),
        ("axis_mask", ctypes.c_uint32),
        ("epilogue", Epilogue),
    ]


class Normalize(ctypes.Structure):
    _fields_ = [
        ("input", Tensor),
        ("output", Tensor),
        ("kind", ctypes.c_int32),
        ("axis_mask", ctypes.c_uint32),
        ("scale_axis", ctypes.c_uint32),
        ("eps", ctypes.c_float),
        ("gamma", ctypes.c_void_p),
        ("beta", ctypes.c_void_p),
    ]


class Pad(ctypes.Structure):
    _fields_ = [
        ("input", Tensor),
        ("output", Tensor),
        ("before", ctypes.c_int64 * MAX_RANK),
        ("mode", ctypes.c_int32),
        ("value", ctypes.c_float),
    ]


_STRUCTURES = {
    "tensor": Tensor,
    "epilogue": Epilogue,
    "convolution": Convolution,
    "matmul": Matmul,
    "pooling": Pooling,
    "resize": Resize,
    "binary": Binary,
    "reduce": Reduce,
    "normalize": Normalize,
    "pad": Pad,
}


def tensor(array: np.ndarray) -> Tensor:
    """The array as it lies in memory."""
    assert array.dtype == np.float32
    result = Tensor(rank=array.ndim, values=array.__array_interface__["data"][0])
    for index in range(array.ndim):
        result.dims[index] = array.shape[index]
        result.strides[index] = array.strides[index] // 4
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


def _available() -> set[str]:
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    flags = {
        word for line in text.splitlines() if line.startswith("flags") for word in line.split()
    }
    return {isa for isa, needs in _NEEDS.items() if needs <= flags} | {"neon", "portable"}


class Operators:
    """The test library ``armnn_acc_operators``."""

    def __init__(self, path: str | Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.operators_isa.restype = ctypes.c_char_p
        self._library.operators_kernel.restype = ctypes.c_char_p
        self._library.operators_scratch.restype = ctypes.c_uint64
        self._library.operators_size.restype = ctypes.c_uint64
        for name, structure in _STRUCTURES.items():
            size = self._library.operators_size(name.encode())
            assert size == ctypes.sizeof(structure), f"{name} has another size than its mirror"
        here = _available()
        self.isas: dict[str, int] = {}
        while (isa := self._library.operators_isa(len(self.isas))) is not None:
            self.isas[isa.decode()] = len(self.isas)
        self.isas = {isa: index for isa, index in self.isas.items() if isa in here}

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
        if the operator refuses.
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
            self._library.operators_run(
                op, count, ctypes.c_void_p(start), ctypes.c_void_p(address(binding))
            )
            kernel = self._library.operators_kernel(op).decode()
            self._library.operators_destroy(op)
        return kernel
