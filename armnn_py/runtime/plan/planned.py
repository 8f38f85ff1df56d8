# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A plan while it is built: tensors and steps, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from armnn_py._native.table.backend_context import NativeBackendContext
    from armnn_py._native.table.workloads import NativeWorkload
    from armnn_py.network import Layer, OutputSlot
    from armnn_py.tensors import TensorInfo

#: Tensors whose memory the plan does not move, nor that of their sub-tensors: that of others, and
#: the two places of a variable, which change from run to run.
FOREIGN = (
    abi.ARMNN_PLAN_TENSOR_INPUT,
    abi.ARMNN_PLAN_TENSOR_OUTPUT,
    abi.ARMNN_PLAN_TENSOR_MAPPED,
    abi.ARMNN_PLAN_TENSOR_VARIABLE,
)


class PlannedTensor(Struct, eq=False):
    """A tensor of a plan that is being built."""

    kind: int
    size: int
    index: int = 0
    alignment: int = 1
    readable: int = 0  # bytes behind it that steps may read
    value: np.ndarray | None = None
    first: int = -1
    last: int = -1
    record: int = -1  # number of its usage record; -1: it has no bytes in the arena
    shares: PlannedTensor | None = None  # the first tensor that had its memory
    info: TensorInfo | None = None  # of a handle
    factory: str = ""  # of a handle: id of its factory
    managed: bool = False  # of a handle: whether its memory comes from pools
    parent: PlannedTensor | None = None  # the tensor that this one is a sub-tensor of
    offset: int = 0  # in the parent, in bytes
    origin: tuple[int, ...] | None = None  # in the parent; None: all of it, under another shape
    stays: bool = False  # of a place of a variable: it has its memory in all steps, and alone
    joined_by: PlannedStep | None = None  # the step whose layer joins it to its parent
    #: A tensor above parent and holder, and the offset in it, in bytes: see `location`.
    shortcut: tuple[PlannedTensor, int] | None = None

    @property
    def holder(self) -> PlannedTensor:
        """The first of the tensors that use the same bytes one after the other."""
        return self if self.shares is None else self.shares

    @property
    def location(self) -> tuple[PlannedTensor, int]:
        """The tensor whose memory this one uses, and the offset in it, in bytes.

        Chains can be as long as the network, so the result is cached. The cache stays valid when a
        tensor without parent and holder gets one, as in `share_in_place`; before any other change
        the tensor must `leave`.
        """
        passed: list[tuple[PlannedTensor, int]] = []
        tensor = self
        while True:
            if tensor.shortcut is not None:
                above, offset = tensor.shortcut
            elif tensor.parent is not None:
                above, offset = tensor.parent, tensor.offset
            elif tensor.shares is not None:
                above, offset = tensor.shares, 0
            else:
                break
            passed.append((tensor, offset))
            tensor = above
        begin = 0
        for below, offset in reversed(passed):
            begin += offset
            below.shortcut = (tensor, begin)
        return tensor, begin

    @property
    def is_foreign(self) -> bool:
        """Whether it lies in memory of the caller, or of a backend that opened it to the host."""
        return self.location[0].kind in FOREIGN

    def leave(self) -> None:
        """Have memory of its own again."""
        self.parent, self.offset, self.origin, self.joined_by = None, 0, None, None
        self.shortcut = None


class PlannedStep(Struct, eq=False):
    """A step while a plan is built; ``layer`` is None for a copy of the host and for a sync.

    ``kind`` is an ``ARMNN_PLAN_STEP_`` value for a step without workload that is not a sync.
    ``context`` is the backend context of a step that may return before its work is done, and of the
    sync that waits for it. ``fence`` is that of a step that makes one or waits for it.
    """

    inputs: list[int]
    outputs: list[int]
    layer: Layer | None = None
    workload: NativeWorkload | None = None
    factory: int = -1
    context: NativeBackendContext | None = None
    kind: int = abi.ARMNN_PLAN_STEP_COPY
    assigns: str = ""  # of a copy at the end of the run: the variable that gets the tensor
    fence: int = -1

    @property
    def is_sync(self) -> bool:
        """Whether it waits for steps before it, or makes a fence for that."""
        return self.workload is None and (self.context is not None or self.fence >= 0)

    @property
    def is_fence(self) -> bool:
        """Whether it makes a fence or waits for one."""
        return self.fence >= 0

    @property
    def makes_fences(self) -> bool:
        """Whether it is of a queue that works beside other steps."""
        return self.context is not None and self.context.makes_fences


class PlannedVariable(Struct, frozen=True):
    """A variable: ``value`` and ``next`` are its places, which are exchanged after each run.

    ``next`` is None if nothing assigns it.
    """

    name: str
    info: TensorInfo
    initial: np.ndarray
    value: PlannedTensor
    next: PlannedTensor | None


class Build(Struct, eq=False):
    """State of one build: tensors by number, steps in order."""

    tensors: list[PlannedTensor] = field(default_factory=list)
    steps: list[PlannedStep] = field(default_factory=list)
    number_of: dict[OutputSlot, int] = field(default_factory=dict)
    #: Tensors of outputs whose buffers are lent to handles, by index of the output.
    lent: dict[int, int] = field(default_factory=dict)
    #: By handle: the tensor for its mapped memory.
    mapped: dict[int, int] = field(default_factory=dict)
    variables: list[PlannedVariable] = field(default_factory=list)
    #: Whether two tensors of one size have one size in each run.
    keeps_size: Callable[[PlannedTensor, PlannedTensor], bool] = lambda source, target: True

    @property
    def has_fences(self) -> bool:
        """Whether a step is of a backend that makes fences."""
        return any(step.makes_fences for step in self.steps)

    def add(self, tensor: PlannedTensor) -> int:
        """Append a tensor and return its number."""
        self.tensors.append(tensor)
        return len(self.tensors) - 1
