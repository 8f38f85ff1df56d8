# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensor handles of sub-tensors: made for contexts, and on trial while a plan is built.

The traits of a factory tell whether it makes sub-tensors at all; only trying tells for a certain
one. So a plan makes all such handles once before it relies on them, without acquiring pools; wholes
that are not managed may allocate memory meanwhile.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.table.tensor_handles import SubTensorRefusedError
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py._native.table.tensor_handles import TensorHandle, TensorHandleFactory
    from armnn_py.runtime.plan.planned import Build, PlannedTensor
    from armnn_py.tensors import TensorInfo

_log = logging.getLogger("armnn_py.runtime")


def make_sub_handle(
    factory: TensorHandleFactory,
    parent: TensorHandle,
    info: TensorInfo,
    origin: tuple[int, ...] | None,
) -> TensorHandle:
    """Make a handle at ``origin`` of another; None: for all of its memory.

    Raises
    ------
    SubTensorRefusedError
        If the backend refuses.
    BackendError
        If it fails in another way.
    """
    if origin is None:
        return parent.decorate(info)
    return factory.create_sub(parent, info, origin)


def find_refused(build: Build, factories: Mapping[str, TensorHandleFactory]) -> set[int]:
    """Make all handles of sub-tensors of the plan, and destroy them again.

    Returns
    -------
    set of int
        The ids of the refused tensors. Sub-tensors of these were not tried.
    """
    trial = _Trial(factories)
    try:
        for tensor in build.tensors:
            if tensor.kind == abi.ARMNN_PLAN_TENSOR_HANDLE and tensor.parent is not None:
                trial.make(tensor)
    finally:
        trial.destroy()
    return trial.refused


class _Trial:
    def __init__(self, factories: Mapping[str, TensorHandleFactory]) -> None:
        self._factories = factories
        self._handles: dict[int, TensorHandle | None] = {}
        self._told: set[int] = set()
        self.refused: set[int] = set()

    def make(self, tensor: PlannedTensor) -> None:
        missing = []
        above: PlannedTensor | None = tensor
        while above is not None and id(above) not in self._handles:
            missing.append(above)
            above = above.parent
        for sub in reversed(missing):  # parents first, so that they are destroyed last
            parent = None if sub.parent is None else self._handles[id(sub.parent)]
            handle = None
            if sub.parent is None or parent is not None:
                handle = self._try(sub, parent)
                if handle is None:
                    self.refused.add(id(sub))
            self._handles[id(sub)] = handle

    def _try(self, tensor: PlannedTensor, parent: TensorHandle | None) -> TensorHandle | None:
        assert tensor.info is not None
        factory = self._factories[tensor.factory]
        if parent is None:
            return factory.create(tensor.info, managed=tensor.managed)
        try:
            return make_sub_handle(factory, parent, tensor.info, tensor.origin)
        except SubTensorRefusedError as refused:
            self._tell(tensor, logging.DEBUG, f"backend '{factory.backend_id}': {refused}")
        except BackendError as error:
            self._tell(tensor, logging.WARNING, str(error))
        return None

    def _tell(self, tensor: PlannedTensor, level: int, words: str) -> None:
        assert tensor.joined_by is not None
        assert tensor.joined_by.layer is not None
        if id(tensor.joined_by) not in self._told:  # each of its sub-tensors may be refused
            self._told.add(id(tensor.joined_by))
            _log.log(level, "layer '%s' is executed: %s", tensor.joined_by.layer.name, words)

    def destroy(self) -> None:
        for handle in reversed(self._handles.values()):
            if handle is not None:
                handle.destroy()
