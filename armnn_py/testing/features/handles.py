# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors in memory of the backend: each way of reading gives the values written in any way."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.table.handle_access import READ, WRITE, HandleAccess, HostMemory
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py._native.table.tensor_handles import SubTensorRefusedError, TensorHandleFactory
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.testing.features.lives import loadables
from armnn_py.testing.outcome import NotApplicableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

_MOST = 4  # tensors that differ in shape or data type

Ways = dict[str, Callable[..., Any]]


def check_handles(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Write tensors, sub-tensors and imported memory in each way, and read them in each.

    Raises
    ------
    CheckFailedError
        Something else is read than what was written.
    NotApplicableError
        The backend has its tensors in memory of the host.
    """
    with target.runtime() as runtime:
        backend = runtime.backends[target.id]
        with contextlib.closing(HandleRegistry([backend])) as registry:
            ids = registry.preferences(target.id)
        if not ids:
            raise NotApplicableError("its tensors lie in memory of the host")
        infos = _infos(taken)
        for name, info, is_managed in itertools.product(ids, infos, (True, False)):
            words = f"a {info.data_type.label} tensor of shape {info.static_shape}"
            words += "" if is_managed else ", which is not managed"
            on_step(words)
            with (
                contextlib.closing(HandleRegistry([backend])) as registry,
                contextlib.ExitStack() as stack,
            ):
                _Pair(registry, registry.factories[name], info, is_managed, stack).check(words)


def _infos(taken: Sequence[Case]) -> list[TensorInfo]:
    """Return some of the tensors of layers that the backend takes."""
    found: dict[Any, TensorInfo] = {}
    for layer in loadables(taken):
        for info in (*layer.network.inputs.values(), *layer.network.outputs.values()):
            if info.element_count and info.element_count > 1:
                found.setdefault((info.data_type, info.static_shape), info)
        if len(found) >= _MOST:
            break
    return list(found.values())[:_MOST]


class _Pair:
    """Two tensors that live at the same time, and parts of the first."""

    def __init__(
        self,
        registry: HandleRegistry,
        factory: TensorHandleFactory,
        info: TensorInfo,
        is_managed: bool,
        stack: contextlib.ExitStack,
    ) -> None:
        self._info, self._number = info, 0
        handles = [factory.create(info, managed=is_managed) for _ in range(2)]
        for handle in handles:
            stack.callback(handle.destroy)
        self._allocate = [handle.allocate for handle in handles]
        self._tensor, self._other = (HandleAccess(handle, info) for handle in handles)
        #: By name: a handle, and the bytes of the first tensor that it stands for.
        self._parts: dict[str, tuple[HandleAccess, slice]] = {}
        with contextlib.suppress(SubTensorRefusedError):
            flat = info.with_shape((info.element_count,))
            made = handles[0].decorate(flat)
            stack.callback(made.destroy)
            self._parts["the same under another shape"] = HandleAccess(made, flat), slice(None)
        parent, begin, rest = handles[0], 0, info
        while rest.static_shape and rest.static_shape[0] > 1:
            rest = rest.with_shape((rest.static_shape[0] - 1, *rest.static_shape[1:]))
            begin += info.byte_size // info.static_shape[0]
            try:
                parent = factory.create_sub(parent, rest, [1] + [0] * (len(info.static_shape) - 1))
            except SubTensorRefusedError:
                break
            stack.callback(parent.destroy)
            name = f"the sub-tensor from byte {begin} on"
            self._parts[name] = HandleAccess(parent, rest), slice(begin, None)
        if is_managed:
            for handle in handles:
                handle.manage()
            self._make_memory()
        registry.acquire()
        self._is_managed = is_managed

    def _make_memory(self) -> None:
        for allocate in self._allocate:
            allocate()

    def _new(self, info: TensorInfo) -> NDArray[Any]:
        """Return values that were not there before."""
        self._number += 7
        count = int(np.prod(info.static_shape))
        return (
            ((self._number + np.arange(count)) % 113).astype(info.dtype).reshape(info.static_shape)
        )

    def check(self, words: str) -> None:
        """Use memory of its own before or after imported memory."""
        if self._is_managed:
            self._check_own(words)
        for source in self._tensor.imports():
            first, second = (HostMemory(source, self._info) for _ in range(2))
            with contextlib.closing(first), contextlib.closing(second):
                for memory, left in ((first, second), (second, first)):
                    self._check_import(words, memory, left)
        if not self._is_managed:
            self._make_memory()
            self._check_own(words)

    def _check_own(self, words: str) -> None:
        kept = self._new(self._info)
        for way in _writers(self._other).values():
            way(kept)
        self._check_ways(words, self._tensor, self._new)
        for name, (part, place) in self._parts.items():
            self._check_ways(f"{words}, {name}", part, self._new)
            self._check_part(words, name, part, place)
        for name, read in _readers(self._other).items():
            _compare(f"{words}: {name} of another tensor, after this one was written", read(), kept)

    def _check_ways(
        self, words: str, tensor: HandleAccess, new: Callable[[TensorInfo], NDArray[Any]]
    ) -> None:
        for (write, put), (read, get) in itertools.product(
            _writers(tensor).items(), _readers(tensor).items()
        ):
            for turn in ("", " again"):
                values = new(tensor.info)
                put(values)
                _compare(f"{words}: {read} after {write}{turn}", get(), values)
        if not tensor.can_map:
            return
        with tensor.mapped(READ | WRITE) as memory:
            _compare(f"{words}: map for reading and writing", memory, values)
            half = memory.reshape(-1)[1::2] if memory.flags.c_contiguous else memory[..., :1]
            half[...] = new(tensor.info).flat[0]
            values = np.array(memory)
        for read, get in _readers(tensor).items():
            _compare(f"{words}: {read} after a part of it was mapped and written", get(), values)

    def _check_part(self, words: str, name: str, part: HandleAccess, place: slice) -> None:
        for write, put in _writers(self._tensor).items():
            values = self._new(self._info)
            put(values)
            expected = _bytes(values)[place]
            for read, get in _readers(part).items():
                _compare(
                    f"{words}: {read} of {name}, after {write} of all", _bytes(get()), expected
                )
        for write, put in _writers(part).items():
            smaller = self._new(part.info)
            put(smaller)
            expected = _bytes(values)
            expected[place] = _bytes(smaller)
            values = expected.view(values.dtype).reshape(values.shape)
            for read, get in _readers(self._tensor).items():
                _compare(f"{words}: {read} after {write} of {name}", get(), values)

    def _check_import(self, words: str, memory: HostMemory, left: HostMemory) -> None:
        memory.values[...] = self._new(self._info)
        before = np.array(left.values)
        if not self._tensor.import_memory(memory):
            return
        for turn in ("imported memory", "imported memory that changed"):
            for read, get in _readers(self._tensor).items():
                _compare(f"{words}: {read} of {turn}", get(), memory.values)
            for name, (part, place) in self._parts.items():
                for read, get in _readers(part).items():
                    expected = _bytes(memory.values)[place]
                    _compare(f"{words}: {read} of {name}, of {turn}", _bytes(get()), expected)
            memory.values[...] = self._new(self._info)
        for write, put in _writers(self._tensor).items():
            values = self._new(self._info)
            put(values)
            _compare(f"{words}: imported memory after {write}", memory.values, values)
        memory.values[...] = after = self._new(self._info)
        self._tensor.unimport()
        _compare(f"{words}: memory of the caller after unimport_memory", memory.values, after)
        _compare(f"{words}: memory that was given back before", left.values, before)


def _writers(tensor: HandleAccess) -> Ways:
    def write_mapped(access: int, values: NDArray[Any]) -> None:
        with tensor.mapped(access) as memory:
            memory[...] = values

    found: Ways = {"copy_in_from": tensor.copy_in} if tensor.can_copy_in else {}
    if tensor.can_map:
        found["map for writing"] = lambda values: write_mapped(WRITE, values)
        found["map for reading and writing"] = lambda values: write_mapped(READ | WRITE, values)
    return found


def _readers(tensor: HandleAccess) -> Ways:
    def read_mapped() -> NDArray[Any]:
        with tensor.mapped(READ) as memory:
            return np.array(memory)

    found: Ways = {"copy_out_to": tensor.copy_out} if tensor.can_copy_out else {}
    if tensor.can_map:
        found["map for reading"] = read_mapped
    return found


def _bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).copy()


def _compare(what: str, found: NDArray[Any], expected: NDArray[Any]) -> None:
    wrong = np.argwhere(found != expected)
    if len(wrong):
        place = tuple(wrong[0])
        index = ", ".join(map(str, place))
        raise CheckFailedError(
            f"{what}: [{index}] is {found[place]}, {expected[place]} expected",
            found=np.array(found),
            expected=np.array(expected),
        )
