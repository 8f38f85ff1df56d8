# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Accept the present headers as the ABI: mirror, golden layouts and, while a draft, frozen copy.

Usage::

    python scripts/freeze_abi.py           # show what changed, then write everything
    python scripts/freeze_abi.py --check   # show what would change; exit 1 if anything does

Run it on purpose and commit the result by itself. The frozen headers under
``tests/abi/frozen_2_0`` stand for the backends that exist in the world. While the ABI is a draft,
which the file ``DRAFT`` beside them says, they follow the headers; from the release that deletes
that file they stay, and a change that breaks the growth rules is refused here and by the tests.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generate_abi
from abi_headers import INCLUDE_DIR, REPOSITORY, read_headers
from abi_layout import compare, measure, measure_all, to_text

TESTS = REPOSITORY / "tests" / "abi"
GOLDEN_DIR = TESTS / "golden"
FROZEN_DIR = TESTS / "frozen_2_0"
DRAFT = FROZEN_DIR / "DRAFT"
FROZEN_HEADERS = ("types.h", "descriptors.h", "names.h", "backend_api.h", "backend_kit.h")
FROZEN_HEADERS += tuple(f"kit_{part}.h" for part in ("base", "options", "rows", "hooks"))
FROZEN_HEADERS += tuple(f"kit_{part}.h" for part in ("support", "workloads", "entry"))


def golden_path(pointer_size: int) -> Path:
    """Where the layout of machines with this pointer size is kept."""
    return GOLDEN_DIR / f"{pointer_size * 8}.json"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="show only, exit 1 on a difference")
    options = parser.parse_args(arguments)

    layout = measure_all()
    is_draft = DRAFT.exists() or not FROZEN_DIR.exists()
    broken = False
    if (FROZEN_DIR / "armnn").exists():
        for change in compare(measure(FROZEN_DIR), layout["public"]):
            broken = broken or change.breaks
            print(change)
    if broken and not is_draft:
        print("refused: backends that exist would break; nothing was written")
        print("  hint: append instead, or raise ARMNN_BACKEND_API_MAJOR")
        return 1

    outputs = {
        generate_abi.MIRROR: generate_abi.render(read_headers()),
        golden_path(layout["public"]["pointer_size"]): to_text(layout),
    }
    if is_draft:
        outputs[DRAFT] = "The ABI is a draft: scripts/freeze_abi.py may rewrite this folder.\n"
        for name in FROZEN_HEADERS:
            source = INCLUDE_DIR / "armnn" / name
            outputs[FROZEN_DIR / "armnn" / name] = source.read_text(encoding="utf-8")
    differs = False
    for path, text in outputs.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        differs = True
        print(f"{'differs' if options.check else 'wrote'}: {path.relative_to(REPOSITORY)}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if not differs:
        print("nothing to do")
    return 1 if options.check and differs else 0


def read_golden(pointer_size: int) -> dict[str, object]:
    """Return the golden layout for machines with this pointer size."""
    content: dict[str, object] = json.loads(golden_path(pointer_size).read_text(encoding="utf-8"))
    return content


if __name__ == "__main__":
    sys.exit(main())
