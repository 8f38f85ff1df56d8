# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write ``armnn_py/_native/abi.py``, the ctypes mirror of the C headers.

Usage::

    python scripts/generate_abi.py           # write the file
    python scripts/generate_abi.py --check   # exit 1 if the file is not what would be written
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from abi_headers import (
    REPOSITORY,
    Array,
    CType,
    Function,
    Headers,
    Named,
    Pointer,
    Scalar,
    read_headers,
)

MIRROR = REPOSITORY / "armnn_py" / "_native" / "abi.py"

_CTYPES = {
    **{f"{u}int{bits}_t": f"c_{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)},
    "float": "c_float",
    "double": "c_double",
    "char": "c_char",
}
# Text that is counted, not closed by a zero: c_char_p would read beyond its end.
_COUNTED_TEXT = {("armnn_string_t", "data")}

_HEAD = '''\
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# ruff: noqa: N801
# fmt: off
"""The C headers as ctypes: structures, constants and the prototypes of the core library.

Generated from ``native/include/armnn`` by ``python scripts/generate_abi.py``; do not edit. A test
compares every size, offset, number and signature with what the C compiler makes of the headers.

How C becomes ctypes:

- a structure keeps its C name; a function of a table is a ``CFUNCTYPE`` member; null is false;
- ``const char*`` is ``c_char_p``, as the result of a function of a backend ``c_void_p``, which
  ``read_text`` follows with care; the counted ``armnn_string_t.data`` and a writable ``char*`` are
  ``POINTER(c_char)``; ``void*`` is ``c_void_p``;
- a function pointer that returns an object gives its address (``c_void_p``), because ctypes lets
  Python implement such a function only so; a function of the core library gives a typed pointer.

``STRUCTS``, ``ENUMS`` and ``MACROS`` list what is mirrored, ``CORE_FUNCTIONS`` the exports of
``libarmnn_core.so`` as ``name: (restype, argtypes)``.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Array,
    Structure,
'''


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args(arguments)
    text = render(read_headers())
    if options.check:
        if MIRROR.exists() and MIRROR.read_text(encoding="utf-8") == text:
            return 0
        print(f"{MIRROR.relative_to(REPOSITORY)} does not match native/include/armnn")
        print("  hint: run python scripts/generate_abi.py and commit the result")
        return 1
    if update(text):
        print(f"wrote {MIRROR.relative_to(REPOSITORY)}")
    return 0


def update(text: str) -> bool:
    """Write ``text`` as the mirror; return whether that changed the file."""
    if MIRROR.exists() and MIRROR.read_text(encoding="utf-8") == text:
        return False
    MIRROR.parent.mkdir(parents=True, exist_ok=True)
    MIRROR.write_text(text, encoding="utf-8")
    return True


def render(headers: Headers) -> str:
    """Return the text of the mirror."""
    body = _constants(headers) + _classes(headers) + _fields(headers) + _tables(headers)
    words = set(re.findall(r"\bc_\w+", body))
    imports = "".join(f"    {name},\n" for name in sorted(words))
    return f"{_HEAD}{imports})\nfrom typing import Any\n{body}"


def _constants(headers: Headers) -> str:
    lines = ["\n# ---- Integer macros\n"]
    lines += [f"{name} = {_number(value)}\n" for name, value in headers.macros.items()]
    for tag, values in headers.enums.items():
        lines.append(f"\n# ---- enum {tag}\n")
        lines += [f"{name} = {_number(value)}\n" for name, value in values.items()]
    return "".join(lines)


def _number(value: int) -> str:
    return f"{value:#x}" if value > 0xFFFF else str(value)


def _classes(headers: Headers) -> str:
    """Bare classes first: tables and objects name each other."""
    lines = ["\n\n# ---- Structures; their members follow below, because they name each other\n"]
    for name, members in headers.structs.items():
        lines.append(f"\n\nclass {name}(Structure):\n")
        if members is None:
            lines.append('    """Opaque."""\n')
        else:
            for key, kind in members.items():
                is_name = not keyword.iskeyword(key)  # a C member may be called "import"
                lines.append(f"    {'' if is_name else '# '}{key}: {_annotation(kind)}\n")
    return "".join(lines)


def _annotation(kind: CType) -> str:
    """Type of a member as a checker sees it; ctypes takes many things for a pointer."""
    if isinstance(kind, Named):
        return kind.name
    if isinstance(kind, Array):
        if kind.element == Scalar("char"):
            return "bytes"
        return f"Array[{_ctype(kind.element)}]"
    if isinstance(kind, Scalar):
        return "float" if kind.name in ("float", "double") else "int"
    return "Any"


def _fields(headers: Headers) -> str:
    lines = ["\n\n# ---- Members\n"]
    for name in headers.order:
        members = headers.structs.get(name)
        if members is None:
            lines.append(f"\n{name} = {_ctype(headers.function_types[name])}\n")
            continue
        lines.append(f"\n{name}._fields_ = [\n")
        for key, kind in members.items():
            if (name, key) in _COUNTED_TEXT:
                kind = Pointer(Scalar("char"))
            lines.append(_member(key, kind))
        lines.append("]\n")
    return "".join(lines)


def _member(key: str, kind: CType) -> str:
    line = f'    ("{key}", {_ctype(kind)}),\n'
    if len(line) <= 101 or not isinstance(kind, Pointer) or not isinstance(kind.target, Function):
        return line
    arguments = "".join(f"        {_ctype(item)},\n" for item in kind.target.parameters)
    return f'    ("{key}", CFUNCTYPE(\n        {_result(kind.target)},\n{arguments}    )),\n'


def _ctype(kind: CType) -> str:
    """Return the ctypes expression of a type."""
    if isinstance(kind, Named):
        return kind.name
    if isinstance(kind, Scalar):
        return "None" if kind.name == "void" else _CTYPES[kind.name]
    if isinstance(kind, Array):
        return f"{_ctype(kind.element)} * {kind.count}"
    if isinstance(kind, Function):
        raise ValueError("a function is met behind a pointer only")
    target = kind.target
    if isinstance(target, Function):
        return f"CFUNCTYPE({', '.join([_result(target), *map(_ctype, target.parameters)])})"
    if target == Scalar("void"):
        return "c_void_p"
    if target == Scalar("char") and kind.is_const:
        return "c_char_p"
    return f"POINTER({_ctype(target)})"


def _result(function: Function) -> str:
    result = function.result
    if isinstance(result, Pointer) and isinstance(result.target, Named):
        return "c_void_p"
    if isinstance(result, Pointer) and result.target == Scalar("char"):
        return "c_void_p"  # ctypes would follow it at once, wherever a backend lets it lead
    return _ctype(result)


def _tables(headers: Headers) -> str:
    lines = ["\n# ---- What is mirrored\n\nSTRUCTS: dict[str, type[Structure]] = {\n"]
    lines += [f'    "{name}": {name},\n' for name, kind in headers.structs.items() if kind]
    lines.append("}\n\nENUMS: dict[str, dict[str, int]] = {\n")
    for tag, values in headers.enums.items():
        lines.append(f'    "{tag}": {{\n')
        lines += [f'        "{name}": {name},\n' for name in values]
        lines.append("    },\n")
    lines.append("}\n\nMACROS: dict[str, int] = {\n")
    lines += [f'    "{name}": {name},\n' for name in headers.macros]
    lines.append("}\n\nFUNCTION_TYPES: dict[str, Any] = {\n")
    lines += [f'    "{name}": {name},\n' for name in headers.function_types]
    lines.append(
        "}\n\n# name: (restype, argtypes)\nCORE_FUNCTIONS: dict[str, tuple[Any, list[Any]]]"
    )
    lines.append(" = {\n")
    for name, function in headers.functions.items():
        arguments = [_ctype(item) for item in function.parameters]
        line = f'    "{name}": ({_ctype(function.result)}, [{", ".join(arguments)}]),\n'
        if len(line) > 101:
            inner = "".join(f"        {item},\n" for item in arguments)
            line = f'    "{name}": ({_ctype(function.result)}, [\n{inner}    ]),\n'
        lines.append(line)
    lines.append("}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
