# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The base class of backends written in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from armnn_py.errors import InvalidArgumentError
from armnn_py.ownership import Owner
from armnn_py.python_backend.kernel import KernelRow, rows_of
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.python_backend.option import Option, Run
    from armnn_py.python_backend.part import Part
    from armnn_py.tensors import TensorInfo


class PythonBackend(Owner, instead="make another object of its class"):
    """Base of backends written in Python: methods with `kernel` above them are its kernels.

    An object is handed to ``armnn_py.Runtime(python_backends=[...])`` and serves that runtime until
    it is closed, and the last network and question with it; then it can serve another one. What
    a subclass does not say has the value below. Every method may be called by several threads at
    once, except `open`, `close` and `self_test`.

    Attributes
    ----------
    id
        Its name, which must be given; unique in a runtime.
    score
        Default order of preference, higher first. 0.
    is_reference
        Whether it computes by the definition, for others to be compared with. False.
    version
        The backend's own version, any text. Empty.
    capabilities
        Its capabilities: named values of type bool, int, float or str.
    option_defaults
        Options that it understands, with their defaults, whose types are those of the options; an
        `Option` in place of a default also describes the option.
    model_option_defaults
        The same for options of one model; ``layer.model_options`` has those that were given.
    run_option_defaults
        The same for options of one run; ``call.run_options`` has those that were given.
    options
        Its options with the values in force, while it serves a runtime.

    Examples
    --------
    >>> import armnn_py as ann
    >>> from armnn_py.python_backend import PythonBackend, kernel
    >>> class Mine(PythonBackend):
    ...     id = "Mine"
    ...
    ...     @kernel(ann.LayerType.RESHAPE)
    ...     def reshape(self, call):
    ...         return call.inputs[0].reshape(call.outputs[0].shape)
    >>> with ann.Runtime(python_backends=[Mine()]) as runtime:
    ...     list(runtime.backends)[0]
    'Mine'
    """

    id: str = ""
    score: int = 0
    is_reference: bool = False
    version: str = ""
    capabilities: Mapping[str, OptionValue] = {}
    option_defaults: Mapping[str, OptionValue | Option] = {}
    model_option_defaults: Mapping[str, OptionValue | Option] = {}
    run_option_defaults: Mapping[str, OptionValue | Option] = {}
    options: Mapping[str, OptionValue] = {}

    _lose_device: Callable[[str], bool] | None = None
    _rows: ClassVar[dict[LayerType, list[KernelRow]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._rows = rows_of(cls)

    def open(self) -> None:
        """Begin to serve a runtime; ``self.options`` is set.

        What it raises is the reason why the backend is not loaded, in the runtime's load report:
        ``BackendUnavailableError`` means that there is no such device here. `MemoryError` reaches
        the caller instead, as out of any method: see `OutOfMemoryError`.
        """

    def close(self) -> None:
        """End of serving it, after the last network is gone."""

    def set_option(self, name: str, value: OptionValue) -> None:
        """Take another value for an option that is ``changeable``; it was checked.

        What it raises reaches the caller, and the old value holds. Kernels may run meanwhile.
        """
        self.options = {**self.options, name: value}

    def before_run(self, run: Run) -> None:
        """Hear that a run of a network with layers of this backend begins.

        What it raises ends the run.
        """

    def after_run(self, run: Run) -> None:
        """Hear that a run ended whose `before_run` returned; ``run.status`` says how."""

    def supports(self, layer: ShownLayer) -> bool | str:
        """Say whether the backend runs a layer that a kernel takes: for rules of all kernels.

        Equal layers of a network are asked about once.

        Returns
        -------
        bool or str
            True, or False or a text that says why not.
        """
        return True

    def infer_stand_in(self, layer: ShownLayer) -> Sequence[TensorInfo] | TensorInfo | str:
        """Say what the outputs of an operator are that no layer expresses.

        A subclass that has such operators overrides it, and has a kernel for each, as
        ``@kernel(LayerType.STAND_IN, domain="com.acme", name="Swirl")``.

        Parameters
        ----------
        layer
            A StandIn whose ``outputs`` are empty; its constants have their values.

        Returns
        -------
        TensorInfo, or a sequence of them, or str
            Of each output; or a text that says why it does not run the operator.
        """
        return "it runs no such operator"

    def preferred_layout(self, layer: ShownLayer) -> DataLayout | None:
        """Say in which layout the backend would have a layer with a ``data_layout``.

        The network is changed to it if the kernels take the layer in that layout, and the
        Transposes that this needs are saved where they can be.

        Returns
        -------
        DataLayout or None
            None: as it is.
        """
        return None

    def optimize(self, part: Part) -> None:
        """Compile layers together, or send some elsewhere; called for each part of a network.

        What it says nothing about runs as it is, each layer by its kernel. If it raises, no layer
        of the part runs here.
        """

    def self_test(self, level: int) -> None:
        """Raise if it does not work; level 0 is quick, higher levels may take seconds."""

    def lose_device(self, reason: str) -> None:
        """Tell the runtime that the device is gone: it gets no more work from now on.

        Parameters
        ----------
        reason
            The text for users.

        Raises
        ------
        InvalidArgumentError
            It serves no runtime, or the reason is not a string.
        """
        if not isinstance(reason, str):
            raise InvalidArgumentError(f"lose_device: {reason!r} given, a text expected")
        if self._lose_device is None or not self._lose_device(reason):
            raise InvalidArgumentError(
                f"lose_device: backend '{self.id}' serves no runtime",
                hints=["in open(), raise armnn_py.errors.BackendUnavailableError"],
            )

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} '{self.id}' with {sum(map(len, self._rows.values()))} kernels>"
        )
