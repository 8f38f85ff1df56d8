# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuAcc's private structures and enumerations for ctypes, made from its headers."""

from __future__ import annotations

import ctypes
import sys
import tempfile
from pathlib import Path
from typing import Any

from pycparser import c_ast, c_parser

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from abi_headers import INCLUDE_DIR, preprocess  # noqa: E402

_PREFIX = "armnn_i_acc_"
_SCALARS = {
    **{f"int{bits}_t": getattr(ctypes, f"c_int{bits}") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": getattr(ctypes, f"c_uint{bits}") for bits in (8, 16, 32, 64)},
    **{"float": ctypes.c_float, "double": ctypes.c_double, "char": ctypes.c_char},
    **{"_Bool": ctypes.c_bool, "size_t": ctypes.c_size_t, "ptrdiff_t": ctypes.c_ssize_t},
}
# Function bodies are parsed, too, and none of them matters.
_LIBRARY = {
    "stdio.h": "",
    "stdlib.h": "",
    "string.h": "",
    "math.h": "",
    "stdarg.h": "typedef int va_list;\n",
    "stdbool.h": "#define bool _Bool\n",
}
_BUILTINS = ("-D__builtin_offsetof(type,member)=0", "-Dva_arg(list,type)=0", "-Dptrdiff_t=long")


class Headers:
    """The structures and enumerators of ``header``, a path inside ``backends_c/cpu_acc``.

    ``structs`` maps ``tensor`` to the structure ``armnn_i_acc_tensor_t``; every pointer is a
    ``c_void_p``. ``enums`` maps ``function`` to the enumerators of ``armnn_i_acc_function_e``.
    """

    def __init__(self, header: str) -> None:
        self.structs: dict[str, type[ctypes.Structure]] = {}
        self.enums: dict[str, dict[str, int]] = {}
        self._nodes: dict[str, c_ast.Struct] = {}  # those of headers that are not CpuAcc's, too
        with tempfile.TemporaryDirectory() as folder:
            for name, text in _LIBRARY.items():
                Path(folder, name).write_text(text, encoding="ascii")
            backend = REPOSITORY / "backends_c" / "cpu_acc"
            common = REPOSITORY / "backends_c" / "common"
            paths = (f"-I{INCLUDE_DIR}", f"-I{common}", f"-I{folder}")
            source = preprocess(backend, header, *paths, *_BUILTINS)
        for node in c_parser.CParser().parse(source, filename=header).ext:
            kind = getattr(getattr(node, "type", None), "type", None)
            name = str(getattr(node, "name", ""))
            if isinstance(node, c_ast.FuncDef):
                continue
            if isinstance(kind, c_ast.Struct) and kind.decls:
                self._nodes[name] = kind
                if name.startswith(_PREFIX):
                    self.structs[_short(name)] = self._structure(name)
            elif isinstance(kind, c_ast.Enum) and name.startswith(_PREFIX):
                self._add_enum(name, kind)

    def _structure(self, name: str) -> type[ctypes.Structure]:
        members = self._nodes[name].decls
        fields = [(member.name, self._type(member.type)) for member in members]
        return type(_short(name), (ctypes.Structure,), {"_fields_": fields})

    def _add_enum(self, name: str, node: c_ast.Enum) -> None:
        values: dict[str, int] = {}
        for item in node.values.enumerators:
            following = max(values.values(), default=-1) + 1
            values[item.name] = _number(item.value) if item.value else following
        self.enums[name.removeprefix(_PREFIX).removesuffix("_e")] = values

    def _type(self, node: c_ast.Node) -> Any:
        if isinstance(node, c_ast.PtrDecl):
            return ctypes.c_void_p
        if isinstance(node, c_ast.ArrayDecl):
            return self._type(node.type) * _number(node.dim)
        name = " ".join(node.type.names)
        return _SCALARS.get(name) or self.structs.get(_short(name)) or self._structure(name)


def _short(name: str) -> str:
    return name.removeprefix(_PREFIX).removesuffix("_t")


def _number(node: c_ast.Node) -> int:
    return int(node.value.rstrip("uUlL"), 0)
