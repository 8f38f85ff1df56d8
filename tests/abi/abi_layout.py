# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Measure the layout of the headers' structures with the C compiler."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from abi_headers import INCLUDE_DIR, Headers, compiler, read_headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Layout: TypeAlias = dict[str, Any]

PUBLIC_HEADER = "armnn/backend_api.h"
PRIVATE_HEADER = "armnn/runtime.h"

_MARKER = b"armnn_py abi probe"


def measure(
    include_dir: Path = INCLUDE_DIR,
    header: str = PUBLIC_HEADER,
    command: Sequence[str] | None = None,
) -> Layout:
    """Return what the C compiler makes of ``header``.

    Nothing is run, so that ``command`` may be a cross compiler for a little-endian machine.

    Parameters
    ----------
    include_dir
        Folder that holds ``armnn/``.
    header
        The header to measure.
    command
        Compiler with its switches; by default ``CC`` or ``cc``.

    Returns
    -------
    dict
        ``pointer_size``; ``structs``: name to ``size``, ``align``, ``growable`` and ``members``
        (name to offset, size, type); ``enums``, ``macros``, ``function_types``, ``functions``.

    Raises
    ------
    ValueError
        The header does not compile, or breaks a rule of the ABI.
    """
    headers = read_headers(include_dir, header)
    values = iter(_probe(headers, include_dir, header, list(command or compiler())))
    layout: Layout = {"pointer_size": next(values), "structs": {}}
    for name, members in headers.structs.items():
        if members is None:
            continue
        size, align = next(values), next(values)
        layout["structs"][name] = {
            "size": size,
            "align": align,
            "growable": str(next(iter(members.values()))) == "armnn_header_t",
            "members": {key: [next(values), next(values), str(members[key])] for key in members},
        }
    layout["enums"] = {
        tag: {name: _signed(next(values)) for name in items} for tag, items in headers.enums.items()
    }
    layout["macros"] = {name: next(values) for name in headers.macros}
    layout["function_types"] = {name: str(kind) for name, kind in headers.function_types.items()}
    layout["functions"] = {name: str(kind) for name, kind in headers.functions.items()}
    return layout


def measure_all(include_dir: Path = INCLUDE_DIR, command: Sequence[str] | None = None) -> Layout:
    """Return ``public``, the contract with backends, and ``private``, what the package adds."""
    public = measure(include_dir, PUBLIC_HEADER, command)
    private = measure(include_dir, PRIVATE_HEADER, command)
    for section, content in private.items():
        if isinstance(content, dict):
            private[section] = {
                key: value for key, value in content.items() if key not in public[section]
            }
    return {"public": public, "private": private}


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _expressions(headers: Headers) -> Iterator[str]:
    yield "sizeof(void*)"
    for name, members in headers.structs.items():
        if members is None:
            continue
        yield f"sizeof({name})"
        yield f"_Alignof({name})"
        for key in members:
            yield f"offsetof({name}, {key})"
            yield f"sizeof((({name}*)0)->{key})"
    for items in headers.enums.values():
        yield from items
    yield from headers.macros


def _probe(headers: Headers, include_dir: Path, header: str, command: list[str]) -> list[int]:
    """Compile the questions as data and read the answers out of the object file."""
    questions = list(_expressions(headers))
    lines = "".join(f"    (uint64_t)({question}),\n" for question in questions)
    source = (
        f'#include "{header}"\n'
        f"const struct {{ char marker[24]; uint64_t values[{len(questions)}]; }} armnn_probe = {{\n"
        f'  "{_MARKER.decode()}", {{\n{lines}}}}};\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "probe.o")
        arguments = ["-std=c11", "-ffreestanding", "-c", "-x", "c", "-", "-o", str(target)]
        done = subprocess.run(
            [*command, f"-I{include_dir}", *arguments],
            input=source,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ValueError(f"{header} does not compile:\n{done.stderr}")
        data = target.read_bytes()
    start = data.index(_MARKER.ljust(24, b"\0")) + 24
    return list(struct.unpack_from(f"<{len(questions)}Q", data, start))
