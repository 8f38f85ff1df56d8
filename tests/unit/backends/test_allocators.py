# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Custom allocators, protected mode, and a backend's own allocator."""

from __future__ import annotations

import ctypes
import gc
import logging
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends import Backend, Verdict

Journal = Callable[[], list[str]]


#: Other things than an int that may stand for an address, or not.
KINDS: dict[str, Callable[[int], Any]] = {
    "int64": np.int64,
    "uint64": np.uint64,
    "float": float,
    "array": lambda address: np.array([address, address]),
    "pointer": ctypes.c_void_p,
}


class Arena(ann.Allocator):
    """Memory from ctypes; ``fault`` makes one method fail."""

    def __init__(self, source: ann.MemorySource = ann.MemorySource.MALLOC, fault: str = "") -> None:
        self.source = source
        self.fault = fault
        self.asked: list[tuple[int, int]] = []
        self.blocks: dict[int, Any] = {}

    @property
    def memory_source(self) -> ann.MemorySource:
        return self.source

    def allocate(self, size: int, alignment: int) -> int:
        self.asked.append((size, alignment))
        if self.fault == "raises":
            raise OSError("no shared memory")
        if self.fault == "text":
            return "0x1000"  # type: ignore[return-value]
        block = ctypes.create_string_buffer(size + 2 * alignment)
        address = -(-ctypes.addressof(block) // alignment) * alignment
        address += 8 if self.fault == "misaligned" else 0
        self.blocks[address] = block
        if self.fault in KINDS:
            return KINDS[self.fault](address)
        return 0 if self.fault == "nothing" else address

    def free(self, address: int) -> None:
        del self.blocks[address]
        if self.fault == "free":
            raise KeyboardInterrupt


def skipping(folder: Path, words: str = "", **arguments: Any) -> ann.Runtime:
    """A runtime that warns of a backend that it does not use."""
    with pytest.warns(ann.BackendSkippedWarning, match=words):
        return ann.Runtime(folder, **arguments)


def verdict(runtime: ann.Runtime) -> Verdict:
    return runtime.load_report.about("Services")[0]


def test_a_backend_uses_it(services_folder: Path, journal: Journal) -> None:
    """It comes right after create, and lives until the backend is gone."""
    arena = Arena(ann.MemorySource.DMA_BUF)
    with ann.Runtime(services_folder, custom_allocators={"Services": arena}) as runtime:
        assert journal()[:4] == ["create", "allocator of source 2", "region at 64", "profiling"]
        assert arena.asked == [(1000, 256)]
        assert len(arena.blocks) == 1
        assert "Services" in runtime.backends
        gone = weakref.ref(arena)
        del arena
        gc.collect()
    assert journal()[-2:] == [f"its memory has {0x5A}", "destroy"]
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("fault", "logged"),
    [
        ("raises", "allocate failed: OSError: no shared memory"),
        ("text", "allocate failed: TypeError"),
        ("float", "allocate failed: TypeError"),
        ("array", "allocate failed: TypeError"),
        ("pointer", "allocate failed: TypeError"),
        ("misaligned", "which is not aligned to 256 bytes"),
        ("nothing", ""),
    ],
)
def test_no_memory(
    services_folder: Path,
    journal: Journal,
    caplog: pytest.LogCaptureFixture,
    fault: str,
    logged: str,
) -> None:
    arena = Arena(fault=fault)
    with skipping(services_folder, custom_allocators={"Services": arena}) as runtime:
        assert verdict(runtime).code == "allocator-refused"
        assert verdict(runtime).reason == (
            "this backend does not accept the allocator: the allocator gives nothing"
        )
    assert logged in caplog.text
    assert journal() == ["create", "allocator of source 1", "destroy"]
    if fault == "misaligned":
        assert not arena.blocks


@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_addresses_of_numpy(services_folder: Path, journal: Journal, kind: str) -> None:
    """ctypes would not take them, and give C an arbitrary address."""
    with ann.Runtime(services_folder, custom_allocators={"Services": Arena(fault=kind)}):
        assert "region at 64" in journal()
    assert journal()[-2:] == [f"its memory has {0x5A}", "destroy"]


def test_exception_in_free_is_logged(
    services_folder: Path, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    arena = Arena(fault="free")
    ann.Runtime(services_folder, custom_allocators={"Services": arena}).close()
    assert not arena.blocks
    assert "allocator of backend 'Services': free failed: KeyboardInterrupt" in caplog.text


def test_a_backend_that_refuses(
    services_folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "use_custom_memory_allocator")
    with skipping(
        services_folder, "does not accept the allocator", custom_allocators={"Services": Arena()}
    ) as runtime:
        refusal = verdict(runtime)
        assert (refusal.status, refusal.stage, refusal.code) == (
            "refused",
            "create",
            "allocator-refused",
        )
        assert refusal.reason == (
            "this backend does not accept the allocator: use_custom_memory_allocator says no"
        )
        assert "Services" not in runtime.backends
        with pytest.raises(ann.BackendNotFoundError, match="does not accept the allocator"):
            runtime.backends["Services"]


def test_a_backend_that_cannot(build_services: Callable[..., Path], journal: Journal) -> None:
    folder = build_services("-DNO_CUSTOM_ALLOCATOR")
    with skipping(folder, custom_allocators={"Services": Arena()}) as runtime:
        assert verdict(runtime).code == "allocator-refused"
        assert verdict(runtime).reason.endswith("it has no use_custom_memory_allocator")
    assert journal() == ["create", "destroy"]


@pytest.mark.parametrize(
    ("allocators", "words"),
    [
        ({"Services": None}, r"custom_allocators\['Services'\]: NoneType given, an Allocator"),
        ({"Services": Arena}, r"custom_allocators\['Services'\]: ABCMeta given, an Allocator"),
        ([Arena()], "custom_allocators: list given, a mapping of ids to Allocator expected"),
        ({"Servces": Arena()}, "custom_allocators: backend 'Servces' is not loaded"),
        ({"Services": Arena(3)}, "its memory_source is 3, a MemorySource expected"),  # type: ignore[arg-type]
    ],
    ids=["none", "a class", "no mapping", "unknown id", "source"],
)
def test_mistakes(services_folder: Path, allocators: Any, words: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=words):
        ann.Runtime(services_folder, custom_allocators=allocators)


def test_protected_mode_must_be_a_bool(services_folder: Path) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="protected_mode: 1 given, True or False"):
        ann.Runtime(services_folder, protected_mode=1)  # type: ignore[arg-type]


PROTECTED = ann.MemorySource.DMA_BUF_PROTECTED


@pytest.mark.parametrize(
    ("capable", "allocator", "refuses", "code", "words"),
    [
        (0, Arena(PROTECTED), "", "protected-unsupported", "ProtectedContentAllocation"),
        (1, None, "", "protected-no-allocator", "no allocator was given for it"),
        (1, Arena(), "", "protected-source", "MALLOC, DMA_BUF_PROTECTED is needed"),
        (1, Arena(PROTECTED), "use_custom", "allocator-refused", "says no"),
        (1, Arena(PROTECTED), "get_capabilities", "protected-unsupported", "says no"),
        (1, Arena(PROTECTED), "", "ok", ""),
    ],
    ids=["capability", "no allocator", "source", "refused", "capabilities fail", "all is well"],
)
def test_protected_mode(
    build_services: Callable[..., Path],
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
    capable: int,
    allocator: Arena | None,
    refuses: str,
    code: str,
    words: str,
) -> None:
    """Each condition is a verdict of its own; a backend without protection is not used either."""
    folder = build_services(f"-DPROTECTED={capable}")
    if refuses:
        full = "use_custom_memory_allocator" if refuses == "use_custom" else refuses
        monkeypatch.setenv("SERVICES_REFUSES", full)
    allocators = {} if allocator is None else {"Services": allocator}
    with ann.Runtime(folder, custom_allocators=allocators, protected_mode=True) as runtime:
        assert verdict(runtime).code == code
        assert words in verdict(runtime).reason
        assert list(runtime.backends) == (["Services"] if code == "ok" else [])
    assert journal()[-1] == "destroy"


def test_default_allocator(services: Backend, runtime: ann.Runtime, journal: Journal) -> None:
    allocator = services.default_allocator
    assert allocator is not None
    assert allocator.memory_source is ann.MemorySource.DMA_BUF
    address = allocator.allocate(100, 128)
    assert address
    assert address % 128 == 0
    assert allocator.get_memory_region_at_offset(address, 32, 8) == address + 32
    assert services.default_allocator is not allocator
    allocator.free(address)
    assert allocator.allocate(2_000_000, 64) == 0
    for size, alignment in ((-1, 64), (8, 3), (8, 0)):
        with pytest.raises(ann.InvalidArgumentError, match="a power of two expected"):
            allocator.allocate(size, alignment)
    assert journal() == ["own allocate 100", "own release", "own allocate 2000000"]
    runtime.close()
    assert journal()[-3:] == ["profiling gone", "own allocator gone", "destroy"]
    with pytest.raises(ann.InvalidArgumentError, match="backend 'Services' is closed"):
        allocator.allocate(1, 1)


def test_no_default_allocator(
    runtime: ann.Runtime, services: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert runtime.backends["CpuRef"].default_allocator is None
    monkeypatch.setenv("SERVICES_REFUSES", "bad-no-allocator")
    assert services.default_allocator is None
    monkeypatch.setenv("SERVICES_REFUSES", "get_default_allocator")
    with pytest.raises(ann.BackendError, match="get_default_allocator failed"):
        services.default_allocator  # noqa: B018
    monkeypatch.setenv("SERVICES_REFUSES", "bad-source")
    with pytest.raises(ann.BackendError, match="memory source 99, which is not a MemorySource"):
        services.default_allocator  # noqa: B018


def test_one_backend_takes_memory_of_another(
    services_folder: Path, services: Backend, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    allocator = services.default_allocator
    assert allocator is not None
    with caplog.at_level(logging.WARNING, logger="armnn_py"):
        ann.Runtime(services_folder, custom_allocators={"Services": allocator}).close()
    assert "own allocate 1000" in journal()
    assert caplog.text == ""
