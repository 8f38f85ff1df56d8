# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arguments shared by ``run``, ``check`` and ``graph``: MODEL, and which backend runs a layer."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import click
from msgspec import Struct

import armnn_py
from armnn_py import OptimizerOptions, Placement
from armnn_py._native.table.backend_options import OptionText
from armnn_py.cli.app import backend_option
from armnn_py.cli.completion import offer
from armnn_py.cli.networks import AssumedShapes, read_network, shape_hint, with_batch
from armnn_py.cli.render import shortened
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.network.saved_files import is_saved_network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py import Network, OptimizedNetwork, Runtime
    from armnn_py.cli.app import Session
    from armnn_py.optimizer.host import Host

R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


class PlacedModel(NamedTuple):
    """A model with a backend for each layer.

    Attributes
    ----------
    source
        The network as it was imported.
    optimized
        The optimised network, with a backend for each layer.
    assumed
        Shapes of inputs that `with_batch` assumed.
    runtime
        The runtime that can load it.
    """

    source: Network
    optimized: OptimizedNetwork
    assumed: AssumedShapes
    runtime: Runtime


class ModelArguments(Struct, frozen=True):
    """A model and its options as the command line gives them, not yet checked."""

    model: str
    shapes: tuple[str, ...]
    backends: tuple[str, ...]
    placement: str | None
    model_options: tuple[str, ...]
    strategy: Literal["preference", "measure"]
    validate: bool
    signature: str | None
    subgraph: str | None
    #: Whether a Debug layer is wanted behind each layer of the model.
    shows_tensors: bool = False

    @property
    def part(self) -> dict[str, str]:
        """Return the part of the model that is wanted, as `import_model` takes it."""
        return chosen_part(self.signature, self.subgraph)

    @property
    def name(self) -> str:
        """The model's file name, for messages."""
        return Path(self.model).name

    @property
    def listed(self) -> list[str] | None:
        """Ids of the backends in order of preference; None if none is named."""
        return list(self.backends) or None

    def options(self, runtime: Runtime) -> OptimizerOptions:
        """Return the arguments of `optimize`.

        Raises
        ------
        InvalidArgumentError
            A model option or the file of placement rules is not understood.
        UnknownNameError
            No listed backend has a model option of that name.
        BackendNotFoundError
            A model option is for a backend that is not loaded.
        """
        return OptimizerOptions(
            placement=None if self.placement is None else Placement.of(self.placement),
            model_options=read_options("model", self.model_options, self.backends, runtime),
            strategy=self.strategy,
            validate=self.validate,
            debug=self.shows_tensors,
        )

    def placed(self, network: Network, runtime: Runtime) -> OptimizedNetwork:
        """Return the model with a backend for every layer.

        Parameters
        ----------
        network
            The model with the shapes of its inputs; of a compiled one nothing is optimised.

        Raises
        ------
        InvalidArgumentError
            An option is given that a compiled model cannot take any more.
        ParseError, BackendError, NoBackendForLayerError
            As `optimize` and `OptimizedNetwork.load`.
        """
        if not is_saved_network(self.model):
            return armnn_py.optimize(
                network, self.listed, runtime=runtime, options=self.options(runtime)
            )
        given = {
            "-b": self.backends,
            "--placement": self.placement,
            "--model-option": self.model_options,
            "--strategy": self.strategy != "preference",
            "--validate": self.validate,
            "--dump": self.shows_tensors,
        }
        for option, value in given.items():
            if value:
                raise InvalidArgumentError(
                    f"{option} given with a compiled model, which has its backends and options",
                    hints=["armnn-py save makes another one"],
                )
        return armnn_py.OptimizedNetwork.load(self.model, runtime=runtime)

    @property
    def wanted(self) -> tuple[str, ...] | None:
        """The backends whose files have to be opened; None: all that there are."""
        if self.placement is not None or is_saved_network(self.model):
            return None
        return self.backends or None

    @property
    def isolated(self) -> tuple[str, ...]:
        """The backends that the placement rules want isolated."""
        return () if self.placement is None else Placement.of(self.placement).isolate

    @contextlib.contextmanager
    def optimized(self, session: Session, also: Sequence[str] = ()) -> Iterator[PlacedModel]:
        """Give the model with a backend for every layer, in a runtime that is closed afterwards.

        ``also`` names backends that the runtime needs beside those of the model.

        Raises
        ------
        InvalidArgumentError
            An input has free dimensions that no ``--shape`` binds.
        ModelError, BackendError, NoBackendForLayerError
            As `import_model` and `optimize`.
        """
        wanted = self.wanted and (*self.wanted, *also)
        with session.runtime(wanted, isolate=self.isolated) as runtime:
            with session.progress(f"reading {self.name}"):
                imported = read_network(self.model, self.shapes, None, self.part, runtime=runtime)
            network, assumed = with_batch(imported)
            for name, info in network.inputs.items():
                if not info.is_static:
                    raise InvalidArgumentError(
                        f"input '{name}' has free dimensions: {info!r}",
                        hints=[shape_hint(network.inputs)],
                    )
            with session.progress(f"choosing backends for {self.name}"):
                optimized = self.placed(network, runtime)
            yield PlacedModel(network, optimized, assumed, runtime)


def chosen_part(signature: str | None, subgraph: str | None) -> dict[str, str]:
    """Return the options that are given, by the names of arguments of `import_model`."""
    given = {"signature": signature, "subgraph": subgraph}
    return {name: value for name, value in given.items() if value is not None}


part_options: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--signature", metavar="KEY", help="Signature of a TensorFlow Lite model, and its names."
    ),
    click.option(
        "--subgraph", metavar="NAME", help="Sub-graph of a TensorFlow Lite model, or its number."
    ),
)


def input_option(help: str, name: str = "arguments") -> Callable[[F], F]:
    """Return the option ``-i NAME=FILE``, which the command gets as ``name``."""
    return click.option(
        "-i", "--input", name, multiple=True, metavar="NAME=FILE", shell_complete=offer("file"),
        help=help,
    )  # fmt: skip


def reference_option(*more: str, help: str) -> Callable[[F], F]:
    """Return the option ``--with``, also called ``more``; the command gets ``reference``."""
    return click.option(
        "--with", *more, "reference", metavar="ID|onnxruntime|litert|FILE.npz",
        shell_complete=offer("file"), help=help,
    )  # fmt: skip


def model_arguments(function: Callable[..., R]) -> Callable[..., R]:
    """Add MODEL and its options; the command gets them as one ``given``."""
    options: list[Callable[[Any], Any]] = [
        click.argument("model", type=click.Path(exists=True, dir_okay=False)),
        backend_option,
        click.option(
            "--shape", "shapes", multiple=True, metavar="NAME=1x3x640x640",
            help="Shape of an input with free dimensions, or NAME=1 for a free dimension of that "
            "name, repeatable.",
        ),
        click.option(
            "--placement", type=click.Path(exists=True, dir_okay=False), metavar="FILE.toml",
            help="Rules that say which backend runs which layer; they come before -b.",
        ),
        click.option(
            "--strategy", type=click.Choice(["preference", "measure"]), default="preference",
            show_default=True,
            help="Backend of a layer without a rule: the first of the list that takes it, or the "
            "fastest by measurement, copies included.",
        ),
        click.option(
            "--model-option", "model_options", metavar="ID.NAME=VALUE", multiple=True,
            help="An option of a backend for this model, repeatable; without ID. for each listed "
            "backend that has it.",
        ),
        click.option(
            "--validate", is_flag=True, help="Check the network after each step of optimisation."
        ),
        *part_options,
    ]  # fmt: skip

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> R:
        names = [name for name in ModelArguments.__struct_fields__ if name != "shows_tensors"]
        given = ModelArguments(**{name: kwargs.pop(name) for name in names})
        return function(*args, given=given, **kwargs)

    command: Any = wrapped
    for option in reversed(options):
        command = option(command)
    return command  # type: ignore[no-any-return]


bounds_option = click.option(
    "--bounds", "bounds", metavar="NAME=N", multiple=True,
    help="Largest size of a free dimension, by its name, or of all of an input, as NAME=1x128, "
    "repeatable: one plan for all shapes up to them, where backends can.",
)  # fmt: skip

run_option = click.option(
    "--run-option", "run_options", metavar="ID.NAME=VALUE", multiple=True,
    help="An option of a backend for these runs, repeatable; without ID. for each listed backend "
    "that has it.",
)  # fmt: skip


def read_options(
    scope: Literal["model", "run"], given: Sequence[str], listed: Sequence[str], runtime: Host
) -> dict[str, dict[str, Any]]:
    """Read ``ID.NAME=VALUE``, or ``NAME=VALUE`` for the listed backends with such an option.

    Raises
    ------
    InvalidArgumentError
        One of them is not understood.
    UnknownNameError
        No listed backend has an option of that name.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        match = re.fullmatch(r"(?:([^.=]+)\.)?([^=]+)=(.*)", text, re.DOTALL)
        if match is None:
            raise InvalidArgumentError(
                f"{scope} option '{shortened(text, 60)}' is not understood",
                hints=["write it as ID.NAME=VALUE or NAME=VALUE"],
            )
        backend_id, name, value = match.groups()
        owners = [backend_id] if backend_id else _backends_with(scope, name, listed, runtime)
        for owner in owners:
            found.setdefault(owner, {})[name] = OptionText(value)
    return found


def _backends_with(scope: str, name: str, listed: Sequence[str], runtime: Host) -> list[str]:
    present, _ = runtime.backends.present(listed or runtime.backends.by_preference)
    backends = [runtime.backends[one] for one in present]
    options = {
        one.id: one.model_options if scope == "model" else one.run_options for one in backends
    }
    owners = [backend_id for backend_id, known in options.items() if name in known]
    if not owners:
        raise UnknownNameError(
            f"no backend in use has a {scope} option '{shortened(name, 60)}'",
            name=name,
            valid=list(dict.fromkeys(option for known in options.values() for option in known)),
            details=[f"{owner}: {', '.join(known) or 'none'}" for owner, known in options.items()],
        )
    return owners
