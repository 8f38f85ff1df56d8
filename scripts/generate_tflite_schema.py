# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write ``armnn_py/frontends/tflite/schema.py``, the tables and enumerations of the format.

Usage::

    python scripts/generate_tflite_schema.py           # write the file
    python scripts/generate_tflite_schema.py --check   # exit 1 if the file differs

The source is the package ``tflite``, which has the classes that the FlatBuffers compiler makes.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SCHEMA = REPOSITORY / "armnn_py" / "frontends" / "tflite" / "schema.py"

_HEAD = '''\
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tables and enumerations of the TensorFlow Lite format.

Generated from the package ``tflite`` by ``python scripts/generate_tflite_schema.py``; do not edit.

A field is ``name:kind``, or ``name:kind=default`` with a default that is not 0. Kinds are the codes
of `struct` for numbers, ``s`` for a text, ``u`` for a union and the name of a table; ``[`` makes a
vector. A field without a name is not read. A member of an enumeration is one more than the member
before it, or has its number behind it.
"""

from __future__ import annotations

__all__ = ["ENUMERATIONS", "TABLES"]

'''
_CODES = {
    "Bool": "?", "Int8": "b", "Uint8": "B", "Int16": "h", "Uint16": "H", "Int32": "i",
    "Uint32": "I", "Int64": "q", "Uint64": "Q", "Float32": "f", "Float64": "d",
}  # fmt: skip
_METHOD = re.compile(r"    def (\w+)\(self[^)]*\):\n(.*?)(?=\n    # |\ndef |\Z)", re.DOTALL)
_HELPERS = re.compile(r"(Init|.*(Length|AsNumpy|IsNone))$")


def snake(name: str) -> str:
    """Return the name that the schema gives a field."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _kind(body: str) -> str:
    vector = "[" if "self._tab.Vector(" in body else ""
    number = re.search(r"self\._tab\.Get\(flatbuffers\.number_types\.(\w+)Flags", body)
    if number is not None:
        return vector + _CODES[number[1]]
    if "self._tab.String(" in body:
        return f"{vector}s"
    if "self._tab.Union(" in body:
        return "u"
    table = re.search(r"obj = (\w+)\(\)", body)
    assert table is not None, body
    return vector + table[1]


def _field(name: str, body: str) -> tuple[int, str]:
    place = re.search(r"self\._tab\.Offset\((\d+)\)", body)
    assert place is not None, body
    default = re.search(r"^        return (True|-?[1-9]\d*)$", body, re.MULTILINE)
    stated = "" if default is None else f"={default[1].replace('True', '1')}"
    return (int(place[1]) - 4) // 2, f"{snake(name)}:{_kind(body)}{stated}"


def _table(text: str) -> str:
    methods = ((m[1], m[2]) for m in _METHOD.finditer(text) if not _HELPERS.match(m[1]))
    found = dict(_field(name, body) for name, body in methods)
    return " ".join(found.get(slot, ":") for slot in range(max(found, default=-1) + 1))


def _enumeration(text: str) -> str:
    members = re.findall(r"^    (\w+) = (-?\d+)$", text, re.MULTILINE)
    parts, expected = [], 0
    for name, value in members:
        parts.append(name if int(value) == expected else f"{name}={value}")
        expected = int(value) + 1
    return " ".join(parts)


def schema_text() -> str:
    """Return what the file should hold."""
    spec = find_spec("tflite")
    assert spec is not None, "the package tflite is not installed"
    assert spec.origin is not None
    enumerations, tables = {}, {}
    for path in sorted(Path(spec.origin).parent.glob("[A-Z]*.py")):
        text = path.read_text(encoding="utf-8")
        if "self._tab = " in text:
            tables[path.stem] = _table(text)
        else:
            enumerations[path.stem] = _enumeration(text)
    parts = [_HEAD]
    for name, entries in (("ENUMERATIONS", enumerations), ("TABLES", tables)):
        rows = "".join(f'    "{key}": "{value}",\n' for key, value in entries.items())
        parts.append(f"{name} = {{\n{rows}}}\n")
    return "".join(parts)


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    wanted = schema_text()
    if parser.parse_args().check:
        return int(SCHEMA.read_text(encoding="utf-8") != wanted)
    SCHEMA.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
