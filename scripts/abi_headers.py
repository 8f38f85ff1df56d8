# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Read the C headers of the project into a small model of structures, enumerations and functions.

Everything that says something about the ABI without compiling it starts here: the generator of the
ctypes mirror and the tests. Needs ``pycparser`` and a C preprocessor.
"""

from __future__ import annotations

import operator
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pycparser import c_ast, c_parser  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).resolve().parents[1]
INCLUDE_DIR = REPOSITORY / "native" / "include"

# The headers may use nothing else of the C library, so that two small stand-ins are enough and no
# system header with its extensions has to be parsed.
_STAND_INS = {
    "stddef.h": "typedef unsigned long size_t;\n#define NULL ((void*)0)\n"
    "#define offsetof(type, member) __builtin_offsetof(type, member)\n",
    "stdint.h": "".join(
        f"typedef {c} int{bits}_t;\ntypedef unsigned {c} uint{bits}_t;\n"
        for bits, c in ((8, "char"), (16, "short"), (32, "int"), (64, "long"))
    )
    + "typedef unsigned long uintptr_t;\n#define INT32_MAX 2147483647\n"
    "#define UINT32_MAX 4294967295u\n#define UINT64_MAX 18446744073709551615ul\n"
    "#define UINTPTR_MAX UINT64_MAX\n#define UINT64_C(value) value##ul\n"
    "#define INT64_C(value) value##l\n",
}

_NOT_NUMBERS = ("ARMNN_BUILD_FEATURES", "ARMNN_NO_ENTRY_DECLARATIONS")

_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "<<": operator.lshift,
    "|": operator.or_,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}

SCALARS = frozenset(
    [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    + ["float", "double", "char", "void"]
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A fixed-width integer, ``float``, ``double``, ``char`` or ``void``."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Named:
    """A structure of the headers, by its name; it may be opaque."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Function:
    """The type of a function; only ever met behind a pointer or as a declaration."""

    result: CType
    parameters: tuple[CType, ...]

    def __str__(self) -> str:
        return f"{self.result}({', '.join(map(str, self.parameters)) or 'void'})"


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer; ``is_const`` tells whether what it points to may be written through it."""

    target: CType
    is_const: bool = False

    def __str__(self) -> str:
        if isinstance(self.target, Function):
            parameters = ", ".join(map(str, self.target.parameters)) or "void"
            return f"{self.target.result}(*)({parameters})"
        if isinstance(self.target, Pointer):
            return f"{self.target}{' const' if self.is_const else ''}*"
        return f"{'const ' if self.is_const else ''}{self.target}*"


@dataclass(frozen=True, slots=True)
class Array:
    """A member that is an array of fixed length."""

    element: CType
    count: int

    def __str__(self) -> str:
        return f"{self.element}[{self.count}]"


CType: TypeAlias = Scalar | Named | Function | Pointer | Array


@dataclass(slots=True)
class Headers:
    """The declarations of the headers, each mapping in the order of declaration.

    Attributes
    ----------
    structs : dict
        Structure name to its members, ``None`` for an opaque structure.
    enums : dict
        Enumeration tag to its enumerators and their values.
    macros : dict
        Object-like macros that stand for an integer.
    function_types : dict
        Names of function pointer typedefs.
    functions : dict
        Declared functions, those of the private core library.
    """

    structs: dict[str, dict[str, CType] | None] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    macros: dict[str, int] = field(default_factory=dict)
    function_types: dict[str, Pointer] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)


def compiler() -> list[str]:
    """Return the C compiler as a command: the environment's ``CC``, else ``cc``."""
    return shlex.split(os.environ.get("CC", "")) or ["cc"]


def read_headers(include_dir: Path = INCLUDE_DIR, header: str = "armnn/runtime.h") -> Headers:
    """Preprocess and parse ``header``.

    Parameters
    ----------
    include_dir
        Folder that holds ``armnn/``.
    header
        The file to read, as an include path; ``armnn/runtime.h`` brings all others.

    Raises
    ------
    ValueError
        A declaration breaks a rule of the ABI: a type that is not fixed width, a bit-field, a
        union, a structure whose tag and name differ.
    """
    source = preprocess(include_dir, header)
    defines = preprocess(include_dir, header, "-dM")
    macros = re.findall(r"^#define (ARMNN_\w+) .+$", defines, re.MULTILINE)
    probe = "".join(f'"{name}" = {name}\n' for name in macros)
    expanded = preprocess(include_dir, header, more=probe)
    reader = _Reader()
    reader.read(c_parser.CParser().parse(source, filename=header))
    reader.read_macros(expanded)
    return reader.headers


def preprocess(
    include_dir: Path,
    header: str,
    *switches: str,
    more: str = "",
    with_typedefs: bool = True,
) -> str:
    """Return ``header`` and the text ``more`` behind it, preprocessed, without system headers.

    ``with_typedefs=False`` leaves out the typedefs of ``stdint.h``, for readers that know them.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _STAND_INS.items():
            if not with_typedefs:
                text = re.sub(r"^typedef .*\n", "", text, flags=re.MULTILINE)
            Path(folder, name).write_text(text, encoding="ascii")
        command = [*compiler(), "-std=c11", "-E", "-P", "-nostdinc", f"-I{folder}"]
        command += [f"-I{include_dir}", "-DARMNN_NO_ENTRY_DECLARATIONS"]
        command += ["-D__attribute__(ignored)=", *switches, "-x", "c", "-"]
        done = subprocess.run(
            command,
            input=f'#include "{header}"\n{more}',
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise ValueError(f"the preprocessor failed: {' '.join(command)}\n{done.stderr}")
    return done.stdout


class _Reader:
    """Walks one translation unit."""

    def __init__(self) -> None:
        self.headers = Headers()
        self._scalar_names: dict[str, str] = {}
        self._constants: dict[str, int] = {}

    def read(self, unit: c_ast.FileAST) -> None:
        for node in unit.ext:
            if isinstance(node, c_ast.Typedef):
                self._read_typedef(node)
            elif isinstance(node, c_ast.Decl):
                if isinstance(node.type, c_ast.FuncDecl):
                    self.headers.functions[node.name] = self._function(node.type)
                else:
                    self._declare(node.type)
            elif not isinstance(node, c_ast.StaticAssert):
                raise ValueError(f"{node.coord}: unexpected {type(node).__name__}")

    def read_macros(self, text: str) -> None:
        for name, expression in re.findall(r'^"(ARMNN_\w+)" = (.*)$', text, re.MULTILINE):
            # Macros that build text or code are none of the ABI's numbers; what depends on the
            # compiler's switches is not the same on both sides.
            if name in _NOT_NUMBERS or not re.search(r"\d", expression):
                continue
            if re.search(r"[A-Za-z_]\w*\s*\(|[{}\"]", expression):
                continue
            unit = c_parser.CParser().parse(f"int x = {expression};")
            self.headers.macros[name] = self._evaluate(unit.ext[0].init)
        self.headers.macros = dict(sorted(self.headers.macros.items()))

    def _read_typedef(self, node: c_ast.Typedef) -> None:
        kind = node.type
        if isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.Struct):
            if kind.type.name != node.name:
                raise ValueError(f"{node.coord}: tag and name of {node.name} differ")
            self._declare(kind.type)
        elif isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.IdentifierType):
            if node.name not in SCALARS and node.name not in ("size_t", "uintptr_t"):
                self._scalar_names[node.name] = str(self._type(kind))
        elif isinstance(kind, c_ast.PtrDecl) and isinstance(kind.type, c_ast.FuncDecl):
            self.headers.function_types[node.name] = Pointer(self._function(kind.type))
            self.headers.order.append(node.name)
        else:
            raise ValueError(f"{node.coord}: typedef {node.name} is of no known form")

    def _declare(self, node: c_ast.Node) -> None:
        if isinstance(node, c_ast.Enum):
            values: dict[str, int] = {}
            for item in node.values.enumerators:
                value = self._evaluate(item.value) if item.value else max(values.values()) + 1
                values[item.name] = self._constants[item.name] = value
            self.headers.enums[node.name] = values
        elif isinstance(node, c_ast.Struct):
            self.headers.structs.setdefault(node.name, None)
            if node.decls is None:
                return
            members: dict[str, CType] = {}
            for member in node.decls:
                if member.bitsize is not None:
                    raise ValueError(f"{member.coord}: bit-field {node.name}.{member.name}")
                members[member.name] = self._type(member.type)
            self.headers.structs[node.name] = members
            self.headers.order.append(node.name)
        else:
            raise ValueError(f"{node.coord}: {type(node).__name__} is not part of the ABI")

    def _type(self, node: c_ast.Node) -> CType:
        if isinstance(node, c_ast.PtrDecl):
            if isinstance(node.type, c_ast.FuncDecl):
                return Pointer(self._function(node.type))
            return Pointer(self._type(node.type), "const" in node.type.quals)
        if isinstance(node, c_ast.ArrayDecl):
            return Array(self._type(node.type), self._evaluate(node.dim))
        if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.Struct):
            return Named(node.type.name)
        if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
            name = " ".join(node.type.names)
            name = self._scalar_names.get(name, name)
            if name in self.headers.structs:
                return Named(name)
            if name in self.headers.function_types:
                return self.headers.function_types[name]
            if name in SCALARS:
                return Scalar(name)
            raise ValueError(f"{node.coord}: '{name}' is not a type of the ABI")
        raise ValueError(f"{node.coord}: {type(node).__name__} is not part of the ABI")

    def _function(self, node: c_ast.FuncDecl) -> Function:
        parameters = [self._type(item.type) for item in (node.args.params if node.args else [])]
        if parameters == [Scalar("void")]:
            parameters = []
        return Function(self._type(node.type), tuple(parameters))

    def _evaluate(self, node: c_ast.Node) -> int:
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.ID):
            return self._constants[node.name]
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            return -self._evaluate(node.expr)
        if isinstance(node, c_ast.BinaryOp):
            left, right = self._evaluate(node.left), self._evaluate(node.right)
            if node.op in _OPERATORS:
                return _OPERATORS[node.op](left, right)
        raise ValueError(f"{node.coord}: not a constant expression that this reader knows")
