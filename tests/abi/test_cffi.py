# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A second reader of the headers agrees with the mirror: cffi's parser, checked by the compiler.

cffi compiles the real headers and gets sizes, offsets and numbers from the compiler; it also reads
the type of every member, parameter and result by itself, and the compiler objects to a wrong one.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import re
import sysconfig
from pathlib import Path

import cffi
import pytest
from abi_headers import INCLUDE_DIR, preprocess

from armnn_py._native import abi


def python_headers() -> Path:
    """Where Python.h is; without it these tests are skipped, but by the gate and in CI."""
    folder = Path(sysconfig.get_paths()["include"])
    if not (folder / "Python.h").exists():
        is_gate = os.environ.get("CI") or os.environ.get("ARMNN_TEST_GATE")
        leave = pytest.fail if is_gate else pytest.skip
        leave(f"{folder / 'Python.h'} is missing: apt-get install python3-dev")
    return folder


@pytest.fixture(scope="module")
def compiled(toolchain, tmp_path_factory):
    """Return cffi's ``ffi`` and ``lib`` for the headers."""
    python_include = python_headers()
    folder = tmp_path_factory.mktemp("cffi")
    text = preprocess(INCLUDE_DIR, "armnn/runtime.h", with_typedefs=False)
    text = re.sub(r"_Static_assert\(.*?\);", "", text, flags=re.DOTALL)
    ffi = cffi.FFI()
    ffi.cdef(text + "".join(f"#define {name} ...\n" for name in abi.MACROS))
    weak = "".join(f"#pragma weak {name}\n" for name in abi.CORE_FUNCTIONS)
    ffi.set_source("armnn_abi_probe", f'#include "armnn/runtime.h"\n{weak}')
    source, target = folder / "armnn_abi_probe.c", folder / "armnn_abi_probe.abi3.so"
    ffi.emit_c_code(str(source))
    done = toolchain.run(
        *("-shared", "-fPIC", "-O0", "-std=gnu11", "-Wall", "-Werror"),
        *("-Werror=incompatible-pointer-types", f"-I{python_include}", f"-I{INCLUDE_DIR}"),
        *(source, "-o", target),
    )
    assert done.returncode == 0, done.stderr
    loader = importlib.machinery.ExtensionFileLoader("armnn_abi_probe", str(target))
    spec = importlib.util.spec_from_file_location("armnn_abi_probe", target, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module.ffi, module.lib


def describe_cffi(kind, *, is_result=False):
    """Spell a type; a function pointer that returns an object is mirrored by its address."""
    if kind.kind == "primitive":
        return kind.cname
    if kind.kind == "void":
        return "void"
    if kind.kind == "struct":
        return kind.cname.removeprefix("struct ")
    if kind.kind == "array":
        return f"{describe_cffi(kind.item)}[{kind.length}]"
    if kind.kind == "function":
        arguments = ", ".join(describe_cffi(item) for item in kind.args)
        return f"{describe_cffi(kind.result, is_result=True)}({arguments})"
    assert kind.kind == "pointer"
    if is_result and (kind.item.kind == "struct" or kind.item.cname == "char"):
        return "void*"
    return f"{describe_cffi(kind.item)}*"


def describe_ctypes(kind):
    if kind is None:
        return "void"
    if kind is ctypes.c_void_p:
        return "void*"
    if kind is ctypes.c_char_p:
        return "char*"
    if issubclass(kind, ctypes.Structure):
        return kind.__name__
    if issubclass(kind, ctypes.Array):
        return f"{describe_ctypes(kind._type_)}[{kind._length_}]"
    if issubclass(kind, ctypes._CFuncPtr):
        arguments = ", ".join(map(describe_ctypes, kind._argtypes_))
        return f"{describe_ctypes(kind._restype_)}({arguments})"
    if issubclass(kind, ctypes._Pointer):
        return f"{describe_ctypes(kind._type_)}*"
    code = kind._type_
    if code in "cfd":
        return {"c": "char", "f": "float", "d": "double"}[code]
    return f"{'' if code.islower() else 'u'}int{ctypes.sizeof(kind) * 8}_t"


@pytest.mark.parametrize("name", abi.STRUCTS)
def test_structure_agrees(compiled, name):
    ffi, _ = compiled
    theirs = ffi.typeof(name)
    mirror = abi.STRUCTS[name]
    assert ffi.sizeof(name) == ctypes.sizeof(mirror)
    expected = [(key, item.offset, describe_cffi(item.type)) for key, item in theirs.fields]
    measured = [
        (key, getattr(mirror, key).offset, describe_ctypes(kind)) for key, kind in mirror._fields_
    ]
    assert measured == expected
    for key, item in theirs.fields:
        assert getattr(mirror, key).size == ffi.sizeof(item.type), key


def test_enumerators_agree(compiled):
    ffi, lib = compiled
    for tag, values in abi.ENUMS.items():
        assert ffi.typeof(f"enum {tag}").relements == values
        for name, value in values.items():
            assert getattr(lib, name) == value


def test_macros_agree(compiled):
    _, lib = compiled
    assert {name: getattr(lib, name) for name in abi.MACROS} == abi.MACROS


def test_function_types_agree(compiled):
    ffi, _ = compiled
    expected = {name: describe_cffi(ffi.typeof(name)) for name in abi.FUNCTION_TYPES}
    assert {name: describe_ctypes(kind) for name, kind in abi.FUNCTION_TYPES.items()} == expected


def test_core_functions_agree(compiled):
    ffi, lib = compiled
    for name, (result, arguments) in abi.CORE_FUNCTIONS.items():
        kind = ffi.typeof(getattr(lib, name))
        expected = [describe_cffi(kind.result), *map(describe_cffi, kind.args)]
        assert [describe_ctypes(result), *map(describe_ctypes, arguments)] == expected, name


def test_a_value_written_by_ctypes_is_read_by_c(compiled):
    ffi, _ = compiled
    info = abi.armnn_tensor_info_t()
    info.header.struct_type = abi.ARMNN_STRUCT_TENSOR_INFO
    info.rank, info.dims[7], info.quantization_dim, info.fields_used = 8, 1 << 40, -1, 1 << 63
    view = ffi.from_buffer("armnn_tensor_info_t*", bytearray(bytes(info)))
    assert view.header.struct_type == 0x414E0002
    assert (view.rank, view.dims[7], view.quantization_dim) == (8, 1 << 40, -1)
    assert view.fields_used == 1 << 63


@pytest.mark.parametrize(
    ("variable", "outcome"),
    [("", pytest.skip.Exception), ("CI", pytest.fail.Exception),
     ("ARMNN_TEST_GATE", pytest.fail.Exception)],
)  # fmt: skip
def test_the_gate_skips_none_of_this(monkeypatch, tmp_path, variable, outcome):
    for name in ("CI", "ARMNN_TEST_GATE"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, "true")
    monkeypatch.setattr(sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    with pytest.raises(outcome, match="python3-dev"):
        python_headers()
