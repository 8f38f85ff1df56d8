# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops over a body: what each turn reads and writes, for runs without Python between the turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Repeat", "Repeated", "RunBody"]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop over the network of a body; names are those of the network's inputs and outputs."""

    key: str
    """Name of the body among those of the stage."""
    inputs: Mapping[str, NDArray[Any]]
    """What the first turn reads; of a sliced input the array of all turns, turns first."""
    most: int | None
    """The number of turns, at least 1; None if only ``goes_on`` ends the loop."""
    states: tuple[tuple[str, str], ...] = ()
    """An input, empty if nothing reads it, and the output that the next turn reads there."""
    sliced: Mapping[str, bool] = field(default_factory=dict)
    """Inputs that read one slice in each turn, and whether the last slice comes first."""
    collected: Mapping[str, bool] = field(default_factory=dict)
    """Outputs that keep the values of all turns, and whether the last turn comes first."""
    counter: str = ""
    """The input that is the number of the turn, an int64."""
    limit: int = 1 << 62
    """The most bytes that the values of all turns may take, for each output."""
    refuse: Callable[[tuple[int, ...], np.dtype[Any]], None] | None = None
    """Raises the error of an output of this shape and dtype, which takes more."""
    goes_on: str = ""
    """The output that ends the loop when it is false."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The results of a loop, by output."""

    states: dict[str, NDArray[Any]]
    """Values of the last turn."""
    collected: dict[str, NDArray[Any]]
    """Values of all turns along the first axis."""


class RunBody(Protocol):
    """Runs the bodies of a stage."""

    def __call__(
        self, key: str, arrays: Mapping[str, NDArray[Any]], /
    ) -> Mapping[str, NDArray[Any]]:
        """Run the body of this name over arrays of its inputs."""

    def repeat(self, loop: Repeat, /) -> Repeated | None:
        """Run a loop; None if turns must run one by one, because shapes change or it has stages."""
