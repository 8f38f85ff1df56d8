# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The energy that the kernel counts for the processors of the machine."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path("/sys/class/powercap")


class EnergyMeter:
    """Counts from the moment when it is made; all programs of the machine count.

    Linux counts the energy of each processor package in ``/sys/class/powercap``. Many systems have
    no such counters, or let only the root user read them.
    """

    def __init__(self) -> None:
        self._before = _counters()

    def joules(self) -> float | None:
        """Return the energy up to now; None where the kernel does not tell."""
        now = _counters()
        if not self._before or now.keys() != self._before.keys():
            return None
        used = 0
        for package, (count, wraps_at) in now.items():
            passed = count - self._before[package][0]
            used += passed if passed >= 0 else passed + wraps_at
        return used * 1e-6


def _counters() -> dict[str, tuple[int, int]]:
    """Return by package: microjoules, and the count at which these begin again."""
    found = {}
    try:
        for package in sorted(_ROOT.glob("intel-rapl:*")):
            if package.name.count(":") == 1:  # others are parts of a package
                count, most = (
                    int((package / name).read_text(encoding="ascii"))
                    for name in ("energy_uj", "max_energy_range_uj")
                )
                found[package.name] = (count, most)
    except (OSError, ValueError):
        return {}
    return found
