# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Measure the ABI with the C compiler, and judge whether a change of it keeps old backends loading.

A layout is plain data (see `measure`) that is kept as a golden file, so that every change of the
ABI shows in a review, and compared by `compare`, which knows the growth rules of ``types.h``.
"""

from __future__ import annotations

import json
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from abi_headers import INCLUDE_DIR, Headers, compiler, read_headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Layout: TypeAlias = dict[str, Any]

PUBLIC_HEADER = "armnn/backend_api.h"
PRIVATE_HEADER = "armnn/runtime.h"

_MARKER = b"armnn_py abi probe"
_VERSION_MACROS = ("ARMNN_BACKEND_API_MAJOR", "ARMNN_BACKEND_API_MINOR", "ARMNN_TARGET_MINOR")


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


def to_text(layout: Layout) -> str:
    """Return the golden form: JSON with one line for each member, enumerator and function."""

    def render(value: Any, indent: str) -> str:
        if not isinstance(value, dict):
            return json.dumps(value)
        inner = indent + "  "
        if not value:
            return "{}"
        items = ",\n".join(
            f"{inner}{json.dumps(key)}: {render(item, inner)}" for key, item in value.items()
        )
        return f"{{\n{items}\n{indent}}}"

    return render(layout, "") + "\n"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two layouts; ``breaks`` tells whether old backends are hurt."""

    breaks: bool
    subject: str
    what: str

    def __str__(self) -> str:
        return f"{'forbidden' if self.breaks else 'allowed'}: {self.subject}: {self.what}"


def compare(old: Layout, new: Layout) -> list[Change]:
    """Return every difference between two public layouts of one pointer width.

    Inside a major version a structure with a header may grow at its end, an enumeration by unused
    numbers, the list of names by new ones; nothing else may change, and a growth raises
    ``ARMNN_BACKEND_API_MINOR``. With another major version everything is allowed.
    """
    major = old["macros"]["ARMNN_BACKEND_API_MAJOR"], new["macros"]["ARMNN_BACKEND_API_MAJOR"]
    if major[0] != major[1]:
        return [Change(False, "ARMNN_BACKEND_API_MAJOR", f"{major[0]} became {major[1]}")]
    changes: list[Change] = []
    if old["pointer_size"] != new["pointer_size"]:
        changes.append(Change(True, "pointer_size", "layouts of different machines"))
    changes += _names("structure", old["structs"], new["structs"])
    for name in old["structs"].keys() & new["structs"].keys():
        changes += _compare_struct(name, old["structs"][name], new["structs"][name])
    changes += _names("enumeration", old["enums"], new["enums"])
    for tag in old["enums"].keys() & new["enums"].keys():
        changes += _compare_enum(tag, old["enums"][tag], new["enums"][tag])
    for section in ("macros", "function_types", "functions"):
        changes += _names(section.rstrip("s").replace("_", " "), old[section], new[section])
        for name in old[section].keys() & new[section].keys():
            if name not in _VERSION_MACROS and old[section][name] != new[section][name]:
                what = f"{old[section][name]} became {new[section][name]}"
                changes.append(Change(True, name, what))
    changes += _compare_minor(old["macros"], new["macros"], bool(changes))
    return sorted(changes, key=lambda change: (not change.breaks, change.subject, change.what))


def _names(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    removed = [Change(True, name, f"{kind} removed") for name in old if name not in new]
    return removed + [Change(False, name, f"{kind} added") for name in new if name not in old]


def _compare_struct(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    changes = []
    for key, (offset, size, kind) in old["members"].items():
        subject = f"{name}.{key}"
        if key not in new["members"]:
            changes.append(Change(True, subject, "member removed"))
            continue
        new_offset, new_size, new_kind = new["members"][key]
        if new_offset != offset:
            what = f"member moved from offset {offset} to {new_offset}"
            changes.append(Change(True, subject, what))
        if new_kind != kind or new_size != size:
            changes.append(Change(True, subject, f"member retyped from {kind} to {new_kind}"))
    for key, (offset, _, _) in new["members"].items():
        if key in old["members"]:
            continue
        subject = f"{name}.{key}"
        if not old["growable"]:
            changes.append(Change(True, subject, "member added to a structure without a header"))
        elif offset < old["size"]:
            what = f"member added at offset {offset}, inside the first {old['size']} bytes"
            changes.append(Change(True, subject, what))
        else:
            changes.append(Change(False, subject, "member appended"))
    if new["size"] < old["size"]:
        changes.append(Change(True, name, f"shrank from {old['size']} to {new['size']} bytes"))
    if new["align"] != old["align"]:
        what = f"alignment changed from {old['align']} to {new['align']}"
        changes.append(Change(True, name, what))
    return changes


def _compare_enum(tag: str, old: Mapping[str, int], new: Mapping[str, int]) -> list[Change]:
    changes = []
    for name, value in old.items():
        if name not in new:
            changes.append(Change(True, name, f"enumerator removed from {tag}"))
        elif new[name] != value:
            # The number of types grows with them; backends compare with their own.
            may_grow = name.endswith("_COUNT") and new[name] > value
            changes.append(Change(not may_grow, name, f"{value} became {new[name]}"))
    counts = {value for name, value in old.items() if name.endswith("_COUNT")}
    taken = set(old.values()) - counts
    for name, value in new.items():
        if name not in old:
            what = f"reuses number {value}" if value in taken else f"enumerator added to {tag}"
            changes.append(Change(value in taken, name, what))
    return changes


def _compare_minor(
    old: Mapping[str, int], new: Mapping[str, int], has_changes: bool
) -> list[Change]:
    name = "ARMNN_BACKEND_API_MINOR"
    before, after = old[name], new[name]
    if after < before:
        return [Change(True, name, f"went back from {before} to {after}")]
    if after == before and has_changes:
        return [Change(True, name, f"is still {before} although the interface changed")]
    return [] if after == before else [Change(False, name, f"{before} became {after}")]
