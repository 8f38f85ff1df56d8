# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The devices that the backends of a runtime list, for commands that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime import Runtime


def devices_of(runtime: Runtime) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the devices of all backends that tell of theirs, and errors by backend."""
    found: list[dict[str, Any]] = []
    errors: dict[str, str] = {}
    for name, backend in runtime.backends.items():
        try:
            found += [structs.asdict(device) for device in backend.devices]
        except BackendError as error:
            errors[name] = "; ".join((error.message, *error.details))
    return found, errors


def render_devices(renderer: Renderer, devices: Sequence[dict[str, Any]]) -> None:
    """Write a table of devices with the ids by which they are named."""
    renderer.table(
        [Column("id"), Column("device"), Column("vendor"), Column("driver"),
         Column("memory", right=True)],
        [[d["id"], d["name"], d["vendor"], d["driver_version"], _bytes(d["memory_size"])]
         for d in devices],
    )  # fmt: skip


def _bytes(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB" if size else "-"
