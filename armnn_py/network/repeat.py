# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops over a body, as data: a stage describes the loop, and the runtime runs its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np  # noqa: TC002 - msgspec and help() evaluate annotations
from msgspec import Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Collected(Struct, frozen=True):
    """The values that a loop collects turn by turn."""

    name: str
    """Name of the output that has them all."""
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """Shape of one turn's value, used without turns; 0 for an unknown size."""
    axis: int = 0
    """The axis of turns, counted from the front."""
    is_backward: bool = False
    """Whether the last turn comes first."""


class Repeat(Struct, frozen=True):
    """A loop over the network of a body; names are those inside the body."""

    key: str
    """Name of the body among those of the stage."""
    reads: tuple[str, ...]
    """The inputs of its network."""
    given: tuple[str, ...]
    """What the loop is given: its states, then its sliced inputs."""
    constants: dict[str, np.ndarray[Any, Any]] = {}
    """Values that are the same in all runs."""
    states: tuple[tuple[str, str], ...] = ()
    """A name, and that of the value which the next turn knows by it."""
    sliced: dict[str, bool] = {}
    """Inputs that read one slice in each turn, and whether the last slice comes first."""
    collected: tuple[tuple[str, Collected], ...] = ()
    """Values that are kept of all turns."""
    counter: str = ""
    """The input that is the number of the turn, an int64."""
    goes_on: str = ""
    """The value that ends the loop when it is false; empty: none."""
    label: str = ""
    """The loop in messages."""

    def __call__(
        self, given: Sequence[NDArray[Any]], around: Mapping[str, NDArray[Any]], run: RunBody,
        most: int | None,
    ) -> list[NDArray[Any]]:  # fmt: skip
        """Run the turns; return the last states, then the values of all turns.

        Parameters
        ----------
        given
            Arrays for `given`; a sliced input has that of all turns, turns first.
        around
            Values around the body by name.
        run
            Runs the body.
        most
            The number of turns; None if only ``goes_on`` ends the loop.
        """
        values = {**around, **self.constants, **dict(zip(self.given, given, strict=False))}
        return run.repeat(self, values, most)


class RunBody(Protocol):
    """Runs the bodies of a stage."""

    def __call__(
        self, key: str, arrays: Mapping[str, NDArray[Any]], /
    ) -> Mapping[str, NDArray[Any]]:
        """Run the body of this name over arrays of its inputs."""

    def repeat(
        self, loop: Repeat, values: Mapping[str, NDArray[Any]], most: int | None, /
    ) -> list[NDArray[Any]]:
        """Run a loop, see `Repeat`; ``values`` are those before its first turn, by name."""
