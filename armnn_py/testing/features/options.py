# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options: what is stated of them holds, and those of one run are those of no other.

The layers that a backend takes, and the values that they compute, show it from outside.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from armnn_py._native.kit_host import KitHost
from armnn_py._native.library import use_host
from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.errors import ArmnnError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import optimize
from armnn_py.runtime.load import load
from armnn_py.testing.cases import unvaried_cases
from armnn_py.testing.features.small_networks import ROWS, taken_by
from armnn_py.testing.outcome import NotApplicableError, NotTriedError
from armnn_py.testing.subject import AS_GIVEN, network_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.options.option import BackendOption
    from armnn_py.runtime import LoadedNetwork, Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

_PATIENCE = 2.0  # seconds; two runs may well wait for each other


def check_options(
    target: Target, seed: int, _taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """State each default, set what can be changed and set it back: nothing may differ.

    Raises
    ------
    CheckFailedError
        A default does not hold without a value from the user, or a change stays.
    NotApplicableError
        The backend has no options.
    """
    cases: Sequence[Case] = unvaried_cases(seed)

    def observe(
        runtime: Runtime, how: str, model_options: dict[str, Any] | None = None
    ) -> Observed:
        def on_part(words: str) -> None:
            on_step(f"{how}, {words}")

        return Observed(runtime, target.id, seed, cases, on_part, model_options)

    with target.runtime() as runtime:
        backend = runtime.backends[target.id]
        options = [one for one in backend.describe_options() if not one.secret]
        of_create = {one.name: one.default for one in options if one.scope == "backend"}
        of_model = {one.name: one.default for one in options if one.scope == "model"}
        if not of_create and not of_model:
            raise NotApplicableError("the backend has no options")
        expected = observe(runtime, "as nobody gave an option")
    cases = expected.worth_asking()
    given = dict(target.options or {})
    if not expected.outputs and not expected.results:
        raise NotTriedError("it takes none of the layers on which options are tried")
    for name, default in of_create.items():
        if name in given:
            continue
        stated = structs.replace(target, options={**given, name: default})
        with stated.runtime() as runtime:
            what = f"option '{name}' is given as its stated default, {default!r}"
            observe(runtime, what).check_equal(expected, what)
    with target.runtime() as runtime:
        for name, default in of_model.items():
            what = f"model option '{name}' is given as its stated default, {default!r}"
            observe(runtime, what, {name: default}).check_equal(expected, what)
        backend = runtime.backends[target.id]
        for option in (one for one in options if one.changeable):
            assert option.value is not None  # as for all options of the backend
            for value in _values_of(option):
                on_step(f"option '{option.name}' set to {value!r}, and back")
                backend.set_option(option.name, value)
                for network in taken_by(runtime, target.id):
                    with load(network.with_rows(ROWS), [target.id], runtime=runtime) as loaded:
                        loaded.run(network.values(ROWS, seed))
            backend.set_option(option.name, option.value)
            what = f"option '{option.name}' was changed and set back to {option.value!r}"
            observe(runtime, what).check_equal(expected, what)


def check_run_options(
    target: Target, seed: int, _taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Run with each option alone, then with two values of it at once.

    Raises
    ------
    CheckFailedError
        A run computes with an option of another one.
    NotApplicableError
        The backend has no options of a run.
    """
    host = KitHost()
    use_host(host.pointer)
    with target.runtime() as runtime:
        described = runtime.backends[target.id].describe_options()
        options = [one for one in described if one.scope == "run" and not one.secret]
        if not options:
            raise NotApplicableError("the backend has no options of a run")
        networks = list(taken_by(runtime, target.id))
        if not networks:
            raise NotTriedError("it takes no small network on which options of a run are tried")
        for network in networks:
            x = network.values(ROWS, seed)
            with load(network.with_rows(ROWS), [target.id], runtime=runtime) as loaded:
                for option in options:
                    on_step(f"{network.name}, run option '{option.name}'")
                    _mix(host, loaded, x, target.id, option)


def _mix(
    host: KitHost, loaded: LoadedNetwork, x: NDArray[Any], backend: str, option: BackendOption
) -> None:
    """Let a run with another value begin and end while one is under way, and after it."""
    name = option.name

    def run(value: Any) -> NDArray[Any]:
        return np.array(loaded.run(x, options={backend: {name: value}})["y"])

    plain = np.array(loaded.run(x)["y"])
    what = f"run option '{name}' is given as its stated default, {option.default!r}"
    same({"": run(option.default)}, {"": plain}, what)
    for value in _values_of(option):
        try:
            expected = run(value)
        except ArmnnError:
            continue  # such as an option that refuses runs
        what = f"a run with option '{name}' = {value!r} came before"
        same({"": np.array(loaded.run(x)["y"])}, {"": plain}, what)
        other = threading.Thread(target=run, args=(value,), daemon=True)

        def between(other: threading.Thread = other) -> None:
            other.start()
            other.join(_PATIENCE)

        host.between = between
        found = np.array(loaded.run(x)["y"])
        host.between = None
        if other.ident is not None:
            other.join()
        what = f"a run with option '{name}' = {value!r} goes on at the same time"
        same({"": found}, {"": plain}, what)
        same({"": run(value)}, {"": expected}, f"option '{name}' = {value!r} is given again")


def _values_of(option: BackendOption) -> list[Any]:
    """Return values that an option allows, the default not among them."""
    if option.choices:
        found: list[Any] = list(option.choices)
    elif option.type == "bool":
        found = [False, True]
    else:
        found = [one for one in (option.minimum, option.maximum) if one is not None]
    return [value for value in found if value != option.default]


Options = dict[str, dict[str, Any]]


class Observed:
    """What a backend does with one set of options.

    Parameters
    ----------
    runtime, backend
        The backend and its options.
    seed
        Values are drawn from it.
    cases
        Layers to ask about.
    on_step
        Called with what is under way.
    model_options
        By name; None: none.
    """

    def __init__(
        self,
        runtime: Runtime,
        backend: str,
        seed: int,
        cases: Sequence[Case],
        on_step: Callable[[str], None],
        model_options: dict[str, Any] | None = None,
    ) -> None:
        self._runtime, self._backend, self._seed = runtime, backend, seed
        self._on_step = on_step
        self._options: Options | None = None if model_options is None else {backend: model_options}
        self._cases = cases
        self.outputs = self._of_networks()
        self.taken = self._answers()
        self.results = self._of_layers()

    def _of_networks(self) -> dict[str, NDArray[Any]]:
        """What each small network gives that the backend takes."""
        found = {}
        for network in taken_by(self._runtime, self._backend):
            self._on_step(f"network '{network.name}'")
            with load(
                network.with_rows(ROWS),
                [self._backend],
                runtime=self._runtime,
                model_options=self._options,
            ) as loaded:
                found[network.name] = np.array(loaded.run(network.values(ROWS, self._seed))["y"])
        return found

    def _answers(self) -> dict[str, bool]:
        """Whether the layer of each case is taken."""
        backend = self._runtime.backends[self._backend]
        options = ModelOptions(self._options, self._runtime.backends).of(backend)
        with LayerSupport(backend, options) as support:
            answers = support.ask_many([case.signature for case in self._cases])
        return {case.name: answer.ok for case, answer in zip(self._cases, answers, strict=True)}

    def worth_asking(self) -> list[Case]:
        """Return the cases to ask about with other options.

        Of a layer in a data type that the backend never takes, that is the first.
        """
        kinds = {(case.layer, case.type) for case in self._cases if self.taken[case.name]}
        first = {(case.layer, case.type): case for case in reversed(self._cases)}
        return [
            case
            for case in self._cases
            if (case.layer, case.type) in kinds or first[case.layer, case.type] is case
        ]

    def _of_layers(self) -> dict[str, list[NDArray[Any]]]:
        """What the first case of each layer and data type gives."""
        first: dict[tuple[str, str], Case] = {}
        for case in self._cases:
            if self.taken[case.name]:
                first.setdefault((case.layer.label, case.type.label), case)
        found = {}
        for case in first.values():
            # A layer that is taken and does not run is told of by other checks.
            with contextlib.suppress(ArmnnError):
                self._on_step(f"layer '{case.name}'")
                found[case.name] = self._result(case)
        return found

    def _result(self, case: Case) -> list[NDArray[Any]]:
        values = case.values()
        placed = optimize(
            network_of(case, values),
            [self._backend],
            runtime=self._runtime,
            options=AS_GIVEN,
            model_options=self._options,
        )
        with self._runtime.load_network(placed) as loaded:
            inputs = {name: values[int(name[1:])] for name in loaded.inputs}
            return [np.array(array) for array in loaded.run(inputs).values()]

    def check_equal(self, expected: Observed, what: str) -> None:
        """Compare with what was seen before; ``what`` says how it is now.

        Raises
        ------
        CheckFailedError
            Something differs.
        """
        for name in sorted({*expected.outputs, *self.outputs}):
            if (name in self.outputs) is not (name in expected.outputs):
                words = "taken" if name in self.outputs else "refused"
                raise CheckFailedError(f"network '{name}' is {words} where {what}")
        same(self.outputs, expected.outputs, what, kind="network")
        for name, is_taken in self.taken.items():
            if is_taken is not expected.taken[name]:
                words = "taken" if is_taken else "refused"
                raise CheckFailedError(f"layer '{name}' is {words} where {what}")
        for name, arrays in expected.results.items():
            for index, array in enumerate(arrays if name in self.results else ()):
                same({name: self.results[name][index]}, {name: array}, what, kind="layer")


def same(
    found: Mapping[str, NDArray[Any]],
    expected: Mapping[str, NDArray[Any]],
    what: str,
    *,
    kind: str = "network",
) -> None:
    """Compare outputs by name, bit for bit but for NaN.

    Raises
    ------
    CheckFailedError
        One differs.
    """
    for name, wanted in expected.items():
        if not np.array_equal(found[name], wanted, equal_nan=wanted.dtype.kind == "f"):
            of_it = f"{kind} '{name}': " if name else ""
            raise CheckFailedError(
                f"{of_it}the output is another where {what}", found=found[name], expected=wanted
            )
