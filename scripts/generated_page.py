# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The command line of the scripts that write one page of the documentation each."""

from __future__ import annotations

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(page: Path, text: str, script: str, arguments: list[str] | None) -> int:
    """Write ``text`` to ``page``, or with ``--check`` tell whether it is there; an exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if not parser.parse_args(arguments).check:
        page.write_text(text, encoding="utf-8")
        return 0
    if page.exists() and page.read_text(encoding="utf-8") == text:
        return 0
    print(f"{page.relative_to(ROOT)} is not what {Path(script).name} writes")
    print(f"  hint: run python scripts/{Path(script).name} and commit the result")
    return 1
