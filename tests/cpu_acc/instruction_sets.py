# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The instruction sets of CpuAcc that this processor runs: parameters of tests, without the others.

Known when tests are collected, so that nothing is skipped for a set that a processor lacks.
"""

from __future__ import annotations

import ctypes
import platform
from pathlib import Path

__all__ = ["ABSENT", "ARM", "DOT_ISAS", "ISAS", "MATRIX_ISA", "QUANTIZED_ISAS", "available"]

ARM = platform.machine().lower() in ("aarch64", "arm64")
_ALL_ISAS = ("neon",) if ARM else ("avx512", "avx2", "portable")
_ALL_DOT_ISAS = ("i8mm", "dotprod") if ARM else ("avx512vnni", "avxvnni")

# What /proc/cpuinfo must name for an instruction set to be tested here.
_NEEDS = {
    "avx512": {"avx512f", "avx512bw", "avx512vl", "avx512dq", "f16c"},
    "avx2": {"avx2", "fma", "f16c"},
    "avx512vnni": {"avx512f", "avx512bw", "avx512vl", "avx512dq", "f16c", "avx512_vnni"},
    "avxvnni": {"avx2", "fma", "f16c", "avx_vnni"},
}
# On Arm, the bits of AT_HWCAP and AT_HWCAP2; an emulator shows the file of its host.
_ARM_BITS = {"dotprod": (16, 20), "i8mm": (26, 13)}


def available() -> set[str]:
    """Return the instruction sets that this processor runs."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    flags = {
        word for line in text.splitlines() if line.startswith("flags") for word in line.split()
    }
    here = {isa for isa, needs in _NEEDS.items() if needs <= flags} | {"neon", "portable"}
    if ARM:
        words = ctypes.CDLL(None).getauxval
        words.argtypes, words.restype = [ctypes.c_ulong], ctypes.c_ulong
        here |= {isa for isa, (word, bit) in _ARM_BITS.items() if words(word) >> bit & 1}
    return here


_HERE = available()
ISAS = tuple(isa for isa in _ALL_ISAS if isa in _HERE)
#: Those that add products of int8 to one of `ISAS`, and share its kernels of other types.
DOT_ISAS = tuple(isa for isa in _ALL_DOT_ISAS if isa in _HERE)
#: All that have kernels for quantised tensors.
QUANTIZED_ISAS = (*DOT_ISAS, *ISAS)
#: Products of matrices, which test libraries have in C: the instructions are not run by any test.
MATRIX_ISA = "amx"
#: Sets of this kind of processor that this one lacks: no test runs their kernels here.
ABSENT = tuple(isa for isa in (*_ALL_DOT_ISAS, *_ALL_ISAS) if isa not in _HERE)
