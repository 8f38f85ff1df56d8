# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write everything that follows from the layer table in ``schema``.

Usage::

    python scripts/generate_layers.py           # write the files, the mirror of the headers too
    python scripts/generate_layers.py --check   # exit 1 if a file is not what would be written
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generate_abi
import layer_builders
import layer_headers
import layer_python
from layer_table import REPOSITORY, Table, read_table

_INCLUDE = Path("native/include/armnn")
_REGION = re.compile(
    r"(/\* Generated from schema by scripts/generate_layers\.py, down to[^\n]*\n)"
    r".*?"
    r"(\n/\* Generated down to here\. \*/\n)",
    re.DOTALL,
)


def render(table: Table) -> dict[Path, str]:
    """Return the text of every generated file, by its path in the repository."""
    return {
        _INCLUDE / "types.h": _with_region(_INCLUDE / "types.h", layer_headers.data_types(table)),
        _INCLUDE / "descriptors.h": _with_region(
            _INCLUDE / "descriptors.h", layer_headers.layers(table)
        ),
        _INCLUDE / "names.h": _with_region(_INCLUDE / "names.h", layer_headers.names(table)),
        Path("armnn_py/types/enumerations.py"): layer_python.enumerations(table),
        Path("armnn_py/types/facts.py"): layer_python.facts(table),
        Path("armnn_py/descriptors/classes.py"): layer_python.descriptors(table),
        Path("armnn_py/descriptors/compiled.py"): layer_python.compiled_descriptor(table),
        Path("armnn_py/network/builders/plain.py"): layer_builders.builders(table),
    }


def _with_region(path: Path, text: str) -> str:
    old = (REPOSITORY / path).read_text(encoding="utf-8")
    new, count = _REGION.subn(lambda found: f"{found[1]}\n{text}{found[2]}", old)
    if count != 1:
        raise ValueError(f"{path}: {count} generated regions, 1 expected")
    return new


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args(arguments)
    stale = []
    for path, text in render(read_table()).items():
        file = REPOSITORY / path
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not options.check:
            file.write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    if options.check and stale:
        for path in stale:
            print(f"{path} does not match schema")
        print("  hint: run python scripts/generate_layers.py and commit the result")
        return 1
    return generate_abi.main(["--check"] if options.check else [])


if __name__ == "__main__":
    sys.exit(main())
