# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The result of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from armnn_py.comparing.differences import Difference
from armnn_py.comparing.reduce import Reducible, write_reduction
from armnn_py.errors import InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.text import counted, html_table, text_table

if TYPE_CHECKING:
    import os

    from armnn_py.comparing.layers import LayerDifference
    from armnn_py.comparing.narrowing import Finding
    from armnn_py.tensors import TensorInfo

MEASURES = ("max abs", "max rel", "cosine", "SNR", "beyond", "quanta")
"""Heads of the columns that `measures` fills."""


@public_class
@dataclass(frozen=True, slots=True)
class OutputDifference:
    """The error of one output of a network."""

    name: str
    info: TensorInfo
    error: Difference

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return {
            "name": self.name,
            "dtype": self.info.data_type.shown,
            "shape": list(self.info.static_shape),
            "error": self.error.to_json(),
        }


@public_class
@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`.

    Attributes
    ----------
    network
        Name of the network.
    subject, reference
        The compared side and the one that is right.
    inputs
        Number of inputs that the network was run on.
    outputs
        The errors of its outputs.
    layers
        With ``layers=True``, the errors of each tensor inside that both sides have.
    finding
        The layer that causes the errors; None if all is well, or without ``layers=True``.
    """

    network: str
    subject: str
    reference: str
    inputs: int
    outputs: tuple[OutputDifference, ...]
    layers: tuple[LayerDifference, ...] = ()
    finding: Finding | None = None
    _reducible: Reducible | None = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        """Whether all outputs, and all compared layers, are within the tolerance."""
        return self.finding is None and all(one.error.passed for one in self.outputs)

    @property
    def verdict(self) -> str:
        """One sentence: the layer that is wrong, the worst output, or that all is well."""
        if self.finding is not None:
            return str(self.finding)
        wrong = [one for one in self.outputs if not one.error.passed]
        if not wrong:
            inside = f" and {counted(len(self.layers), 'tensor')} inside" if self.layers else ""
            count = counted(len(self.outputs), "output")
            return f"within the tolerance of {self.reference}: {count}{inside}"
        worst = max(wrong, key=lambda one: one.error.beyond)
        return (
            f"beyond the tolerance of {self.reference}: {len(wrong)} of "
            f"{counted(len(self.outputs), 'output')}; '{worst.name}': {worst.error.worst}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON-able values."""
        return {
            "network": self.network,
            "subject": self.subject,
            "reference": self.reference,
            "inputs": self.inputs,
            "passed": self.passed,
            "verdict": self.verdict,
            "outputs": [one.to_json() for one in self.outputs],
            "layers": [one.to_json() for one in self.layers],
            "finding": None if self.finding is None else self.finding.to_json(),
        }

    def reduce(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write the layer that is wrong as a network, with its arrays and a script.

        Parameters
        ----------
        folder
            Where the files go; made if it is not there.

        Returns
        -------
        tuple of str
            Paths of the script, the network and the arrays.

        Raises
        ------
        InvalidArgumentError
            There is nothing to reduce, or a file cannot be written.
        """
        if self.finding is None or self._reducible is None:
            raise InvalidArgumentError(
                "reduce: no layer is beyond the tolerance"
                if self.layers
                else "reduce: compare with layers=True first"
            )
        return write_reduction(self.finding, self._reducible, folder)

    def _rows(self) -> list[tuple[str, ...]]:
        return [("output", *MEASURES), *((one.name, *measures(one.error)) for one in self.outputs)]

    def __str__(self) -> str:
        return f"{text_table(self._rows())}\n{self.verdict}"

    def __repr__(self) -> str:
        return f"<Comparison: {self.verdict}>"

    def _repr_html_(self) -> str:
        return html_table(self._rows(), f"Comparison: {self.verdict}")


def measures(error: Difference) -> tuple[str, ...]:
    """Return the measures of an error as the cells of a table."""
    return (
        f"{error.absolute:.2g}",
        f"{error.relative:.2g}",
        f"{error.cosine:.6f}",
        f"{error.snr:.1f} dB" if abs(error.snr) != float("inf") else f"{error.snr}",
        f"{error.beyond:.2%}",
        "" if error.quanta is None else str(error.quanta),
    )
