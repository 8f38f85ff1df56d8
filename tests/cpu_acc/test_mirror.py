# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The structures that tests hand to operators lie as the compiler lays them out."""

from __future__ import annotations

import ctypes
import shlex
import subprocess
from typing import TYPE_CHECKING

from abi_headers import INCLUDE_DIR, compiler

from .mirror import REPOSITORY
from .operators import HEADERS

if TYPE_CHECKING:
    from pathlib import Path


def test_sizes_and_offsets(tmp_path: Path) -> None:
    lines, expected = [], []
    for name, structure in HEADERS.structs.items():
        kind = f"armnn_i_acc_{name}_t"
        lines.append(f'printf("{name} %zu\\n", sizeof({kind}));')
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for member, _ in structure._fields_:
            lines.append(f'printf("{name}.{member} %zu\\n", offsetof({kind}, {member}));')
            expected.append(f"{name}.{member} {getattr(structure, member).offset}")
    source = tmp_path / "layout.c"
    source.write_text('#include "ops/ops.h"\nint main(void) {\n' + "\n".join(lines) + "\n}\n")
    folders = (REPOSITORY / "backends_c" / name for name in ("cpu_acc", "common"))
    includes = [f"-I{INCLUDE_DIR}", *(f"-I{folder}" for folder in folders)]
    program = tmp_path / "layout"
    command = [*compiler(), "-std=c11", *includes, str(source), "-o", str(program)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"
    measured = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert measured.split("\n")[:-1] == expected
    assert len(HEADERS.structs) > 10
