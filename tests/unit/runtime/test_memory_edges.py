# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How a tensor gets from one backend to the next: Arm NN's edge strategies, with real backends.

One test for each row of the table: the network that comes out, what the backends saw when it ran,
and its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizerOptions

from .kinds import Journal

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
NONE = "0"
MALLOC = "ARMNN_MEMORY_SOURCE_MALLOC"
PADDING = "ARMNN_FACTORY_PADDING_REQUIRED"
NO_IMPORT = "ARMNN_FACTORY_FALLBACK_IMPORT_DISABLED"

Config = dict[str, str]


class Edges:
    """Runtimes with backends "A" and "B", each compiled as it is wanted."""

    def __init__(self, folder: Path, build: Callable[..., None], journal: Journal) -> None:
        self._folder, self._build, self.journal = folder, build, journal
        self.runtime: ann.Runtime | None = None

    def load(self, a: Config, b: Config | None = None) -> ann.Runtime:
        for name, config in (("A", a), ("B", b)):
            if config is not None:
                defines = [f"-D{key}={value}" for key, value in config.items()]
                target = self._folder / f"Test_{name}_backend.so"
                self._build("edge_backend.c", target, f'-DNAME="{name}"', *defines)
        self.runtime = ann.Runtime(self._folder)
        return self.runtime

    def bridges(self, *backends: str, imports: bool = True) -> list[str]:
        """Layers that a chain over these backends gets; the chain is run, and its result checked.

        ``journal`` then tells what was done in one run and before it.
        """
        assert self.runtime is not None
        network = ann.Network("chain")
        x = network.add_input("x", ann.TensorInfo(X.shape))
        for number, backend in enumerate(backends):
            x = network.add_elementwise_unary(
                x, ann.UnaryOperation.NEG, backend=backend, name=f"l{number}"
            )
        network.add_output("y", x)
        self.journal()
        optimized = ann.optimize(
            network,
            list(dict.fromkeys([*backends, "CpuRef"])),
            runtime=self.runtime,
            options=OptimizerOptions(import_memory=imports),
        )
        with self.runtime.load_network(optimized) as loaded:
            sign = -1 if len(backends) % 2 else 1
            np.testing.assert_array_equal(loaded.run(X)["y"], sign * X)
        kinds = {ann.LayerType.MEM_COPY: "copy", ann.LayerType.MEM_IMPORT: "import"}
        return [
            f"{kinds[layer.type]} {layer.name}"
            for layer in optimized.network.layers
            if layer.type in kinds
        ]


@pytest.fixture
def edges(tmp_path: Path, build_backend: Callable[..., None], journal: Journal) -> Iterator[Edges]:
    (tmp_path / "backends").mkdir()
    made = Edges(tmp_path / "backends", build_backend, journal)
    yield made
    if made.runtime is not None:
        made.runtime.close()


IN, OUT = "[ x (0) -> l0 (0) ]", "[ l0 (0) -> y (0) ]"
MIDDLE, LAST = "[ l0 (0) -> l1 (0) ]", "[ l1 (0) -> y (0) ]"


def moves(lines: list[str]) -> list[str]:
    """The calls on tensors, in order."""
    return [line for line in lines if not line.startswith(("make", "capabilities"))]


def test_same_backend_is_direct(edges: Edges) -> None:
    edges.load({})
    assert edges.bridges("A", "A") == [f"copy {IN}", f"copy {LAST}"]
    assert moves(edges.journal()) == ["copy into Test/A/Copy", "copy out of Test/A/Copy"]


@pytest.mark.parametrize("backends", [("CpuRef", "A"), ("A", "CpuRef")])
def test_a_neighbour_without_factories_costs_a_copy(
    edges: Edges, backends: tuple[str, ...]
) -> None:
    edges.load({})
    assert f"copy {MIDDLE}" in edges.bridges(*backends)


def test_an_output_is_written_into_the_callers_buffer(edges: Edges) -> None:
    edges.load({"IMPORTS": MALLOC})
    assert edges.bridges("A") == [f"import {IN}"]
    assert moves(edges.journal()) == ["import into Test/A/Copy"] * 2


def test_the_producers_factory_is_what_the_reader_prefers(edges: Edges) -> None:
    edges.load({}, {"PREFERS": '"Test/A/Copy"'})
    assert edges.bridges("A", "B") == [f"copy {IN}", f"copy {LAST}"]
    assert moves(edges.journal()) == ["copy into Test/A/Copy", "copy out of Test/A/Copy"]


def test_exported_memory_is_imported(edges: Edges) -> None:
    edges.load({"EXPORTS": MALLOC}, {"IMPORTS": MALLOC})
    assert edges.bridges("A", "B") == [f"copy {IN}", f"import {MIDDLE}"]
    lines = edges.journal()
    assert moves(lines) == [
        "import into Test/B/Copy",  # the caller's buffer
        "copy into Test/A/Copy",
        "map Test/A/Copy",
        "import into Test/B/Copy",  # what A has written
    ]
    asked = [line for line in lines if line.startswith("capabilities")]
    assert len(asked) == len(set(asked)), "each question is asked once"
    assert "capabilities of Test/A/Copy l0-l1" in asked
    assert "capabilities of Test/B/Copy l1-l0" in asked
    assert "capabilities of Test/B/Copy l1-y" in asked


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"EXPORTS": NONE}, {"IMPORTS": MALLOC}),
        ({"EXPORTS": MALLOC}, {"IMPORTS": NONE}),
        ({"EXPORTS": "ARMNN_MEMORY_SOURCE_DMA_BUF"}, {"IMPORTS": MALLOC}),
        ({"EXPORTS": MALLOC, "CAPABILITIES": PADDING}, {"IMPORTS": MALLOC}),
        ({"EXPORTS": MALLOC, "CAPABILITIES": NO_IMPORT}, {"IMPORTS": MALLOC}),
        ({"EXPORTS": MALLOC}, {"IMPORTS": MALLOC, "CAPABILITIES": PADDING}),
        ({"EXPORTS": MALLOC}, {"IMPORTS": MALLOC, "CAPABILITIES": NO_IMPORT}),
    ],
)
def test_if_one_side_does_not_want_the_import_it_is_a_copy(
    edges: Edges, a: Config, b: Config
) -> None:
    edges.load(a, b)
    assert f"copy {MIDDLE}" in edges.bridges("A", "B")


def test_no_import_where_importing_is_off(edges: Edges) -> None:
    edges.load({"EXPORTS": MALLOC}, {"IMPORTS": MALLOC})
    assert edges.bridges("A", "B", imports=False) == [
        f"copy {IN}",
        f"copy {MIDDLE}",
        f"copy {LAST}",
    ]
    lines = edges.journal()
    assert not [line for line in lines if line.startswith(("import", "capabilities"))]


def test_capabilities_count_for_the_layers_that_they_are_about(edges: Edges) -> None:
    about = {"CAPABILITIES": PADDING, "ABOUT": "ARMNN_LAYER_INPUT"}
    edges.load({"EXPORTS": MALLOC, **about}, {"IMPORTS": MALLOC, **about})
    assert f"import {MIDDLE}" in edges.bridges("A", "B")


def test_a_tensor_that_needs_padding_is_not_written_into_the_callers_buffer(edges: Edges) -> None:
    edges.load({"IMPORTS": MALLOC, "CAPABILITIES": PADDING})
    assert edges.bridges("A") == [f"copy {IN}", f"copy {OUT}"]
    assert moves(edges.journal()) == ["copy into Test/A/Copy", "copy out of Test/A/Copy"]


def test_where_one_side_cannot_be_mapped_there_is_no_way(edges: Edges) -> None:
    edges.load({"MAPS": "0", "IMPORTS": MALLOC}, {})
    with pytest.raises(ann.BackendError, match="cannot get from one backend to another") as caught:
        edges.bridges("A", "B")
    assert "'l0' on A -> 'l1' on B: no common memory" in str(caught.value)


@pytest.mark.parametrize(
    ("a", "b", "backend", "words"),
    [
        ({"EXPORTS": MALLOC, "FAILS": '"map"'}, None, "A", "map: no window"),
        ({"EXPORTS": MALLOC, "FAILS": '"unmap"'}, None, "A", "unmap: no window"),
        ({"FAILS": '"copy out of"'}, None, "A", "copy_out_to: no window"),
        ({"FAILS": '"map"'}, {}, "A", "map: no window"),
        ({}, {"FAILS": '"copy into"'}, "B", "copy_in_from: no window"),
    ],
)
def test_failing_backend_of_a_move_is_named(
    edges: Edges, a: Config, b: Config | None, backend: str, words: str
) -> None:
    edges.load(a, b)
    with pytest.raises(ann.ExecutionError) as caught:
        edges.bridges("A", "B" if b is not None else "CpuRef")
    assert f"'{MIDDLE}'" in str(caught.value)
    assert f"on backend '{backend}'" in str(caught.value)
    assert words in str(caught.value)
    assert caught.value.backend == backend


def test_bound_arrays_say_nothing_about_tensors_between_layers(edges: Edges) -> None:
    """What a backend does not import of them is copied."""
    runtime = edges.load({"IMPORTS": MALLOC, "FAILS": '"import"'})
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    for number, backend in enumerate(("CpuRef", "A", "CpuRef")):
        x = network.add_elementwise_unary(
            x, ann.UnaryOperation.NEG, backend=backend, name=f"l{number}"
        )
    network.add_output("y", x)
    with ann.load(network, ["CpuRef"], runtime=runtime) as loaded, loaded.bind() as bound:
        bound.inputs["x"][...] = X
        with loaded.profile() as profile:
            np.testing.assert_array_equal(bound.run()["y"], -X)
    assert profile.copies == 2


def test_copies_without_import_go_through_the_host(edges: Edges) -> None:
    edges.load({"WINDOWS": "0"}, {"WINDOWS": "0"})
    assert f"copy {MIDDLE}" in edges.bridges("A", "B")
    assert moves(edges.journal()) == [
        "copy into Test/A/Copy",
        "copy out of Test/A/Copy",
        "copy into Test/B/Copy",
        "copy out of Test/B/Copy",
    ]


# ---- Pairs of a copy and an import factory -------------------------------------------------------


def test_the_import_factory_of_a_pair_makes_what_imports(edges: Edges) -> None:
    edges.load({"PAIR": "1"})
    assert edges.bridges("A", "A", "A") == [f"import {IN}"]
    lines = edges.journal()
    made = sorted(line for line in lines if line.startswith("make"))
    assert made == [
        "make Test/A/Copy",
        "make Test/A/Copy",
        "make to import Test/A/Import",
        "make to import Test/A/Import",
    ]
    assert moves(lines) == ["import into Test/A/Import"] * 2


def test_the_import_factory_is_asked_whether_it_minds(edges: Edges) -> None:
    edges.load({"PAIR": "1", "CAPABILITIES": NO_IMPORT})
    assert edges.bridges("A") == [f"copy {IN}", f"copy {OUT}"]
    lines = edges.journal()
    assert "capabilities of Test/A/Import l0-x" in lines
    assert {line for line in lines if line.startswith("make")} == {"make Test/A/Copy"}


def test_the_import_factory_also_takes_what_another_backend_exports(edges: Edges) -> None:
    edges.load({"PAIR": "1"}, {"PAIR": "1", "EXPORTS": MALLOC})
    assert edges.bridges("B", "A") == [f"import {IN}", f"import {MIDDLE}"]
    assert moves(edges.journal()) == [
        "import into Test/A/Import",  # the caller's buffer
        "import into Test/B/Import",
        "map Test/B/Copy",
        "import into Test/A/Import",  # what B has written
    ]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"PAIR_ID": '"Other"'}, "'A' registers a pair of factories 'Other' and 'Test/A/Import'"),
        ({"SECOND_PAIR": "1"}, "'A' registers two import factories for 'Test/A/Copy'"),
        ({"PAIR_ID": "NULL"}, "'A': the id of a factory in a pair is null"),
    ],
)
def test_faulty_pairs(edges: Edges, config: Config, words: str) -> None:
    edges.load({"PAIR": "1", **config})
    with pytest.raises(ann.BackendError) as caught:
        edges.bridges("A")
    assert words in str(caught.value)


# ---- What reports say ----------------------------------------------------------------------------


def test_moves_are_named_with_layers_and_factories(edges: Edges) -> None:
    runtime = edges.load({"PAIR": "1", "EXPORTS": MALLOC}, {})
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    for number, backend in enumerate(("A", "CpuRef", "B")):
        x = network.add_elementwise_unary(
            x, ann.UnaryOperation.NEG, backend=backend, name=f"l{number}"
        )
    network.add_output("y", x)
    optimized = ann.optimize(network, ["A", "B", "CpuRef"], runtime=runtime)
    a, made, b = "Test/A/Copy", "Test/A/Import", "Test/B/Copy"
    assert [str(record) for record in optimized.memory] == [
        f"MemImport '{IN}': host -> {made}",
        f"ElementwiseUnary 'l0' (0): {a}",
        f"MemImport '{MIDDLE}': {a} -> host",
        f"MemCopy '[ l1 (0) -> l2 (0) ]': host -> {b}",
        f"ElementwiseUnary 'l2' (0): {b}",
        f"MemCopy '[ l2 (0) -> y (0) ]': {b} -> host",
    ]
    assert optimized.memory[0].to_json() == {
        "layer": IN,
        "output": 0,
        "type": "MemImport",
        "factory": made,
        "source": "",
    }
    with runtime.load_network(optimized) as loaded:
        with loaded.profile() as profile:
            loaded.run(X)
        told = [
            (layer.type, layer.layer, layer.kernel, layer.memory, layer.backend)
            for layer in profile.layers
            if layer.memory
        ]
        assert sorted(told) == sorted(
            [
                ("MemImport", IN, "import", f"host -> {made}", "A"),
                ("MemImport", MIDDLE, "map", f"{a} -> host", "A"),  # not the reader's
                ("MemImport", MIDDLE, "unmap", a, "A"),
                ("MemCopy", "[ l1 (0) -> l2 (0) ]", "copy", f"host -> {b}", "B"),
                ("MemCopy", "[ l2 (0) -> y (0) ]", "copy", f"{b} -> host", "B"),
            ]
        )
        assert f"import host -> {made}" in str(profile)
        assert profile.to_json()["layers"][0]["memory"] in {path for *_, path, _ in told}


def test_an_output_that_is_lent_is_named_too(edges: Edges) -> None:
    runtime = edges.load({"IMPORTS": MALLOC})
    network = ann.Network("one")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, backend="A", name="l0")
    network.add_output("y", y)
    with ann.load(network, ["A"], runtime=runtime) as loaded, loaded.profile() as profile:
        loaded.run(X)
    told = {(layer.layer, layer.kernel, layer.memory) for layer in profile.layers if layer.memory}
    assert told == {
        (IN, "import", "host -> Test/A/Copy"),
        ("l0", "import of output", "host -> Test/A/Copy"),
        ("l0", "return", "Test/A/Copy -> host"),
    }


def test_a_refused_import_is_reported_with_its_bytes_and_reason(edges: Edges) -> None:
    """The input is copied at once, the output when it is returned; the words may be long."""
    words = "the memory lies where the device cannot reach, ä" + "ö" * 60
    runtime = edges.load({"IMPORTS": MALLOC, "REFUSES": f'"{words}"'})
    network = ann.Network("one")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, backend="A", name="l0")
    network.add_output("y", y)
    with ann.load(network, ["A"], runtime=runtime) as loaded, loaded.profile() as profile:
        loaded.run(X)
        loaded.run(X)
    told = {layer.kernel: (layer.copied_bytes, layer.reason) for layer in profile.layers}
    assert told["import"] == (2 * X.nbytes, f"can_be_imported: {words}")
    assert told["import of output"] == (0, f"can_be_imported: {words}")
    assert told["return"] == (2 * X.nbytes, "")
    assert f"import host -> Test/A/Copy, 96 bytes copied: can_be_imported: {words}" in str(profile)
    assert "return Test/A/Copy -> host, 96 bytes copied" in str(profile)
    assert {row["copied_bytes"] for row in profile.to_json()["layers"]} == {0, 96}


def test_memory_that_was_imported_has_no_bytes(edges: Edges) -> None:
    runtime = edges.load({"IMPORTS": MALLOC})
    network = ann.Network("one")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, backend="A", name="l0")
    network.add_output("y", y)
    with ann.load(network, ["A"], runtime=runtime) as loaded, loaded.profile() as profile:
        loaded.run(X)
    assert {(layer.copied_bytes, layer.reason) for layer in profile.layers} == {(0, "")}


def test_a_factory_may_be_a_pair_of_its_own(edges: Edges) -> None:
    edges.load({"IMPORTS": MALLOC, "PAIR": "1", "PAIR_ID": "IMPORT_ID"})
    assert edges.bridges("A") == [f"import {IN}"]
    assert {line for line in edges.journal() if line.startswith("import")} == {
        "import into Test/A/Copy"
    }


def test_memory_that_two_import_is_mapped_once_for_both(edges: Edges) -> None:
    """The map is open from the first that imports it to the last that reads it."""
    runtime = edges.load({"EXPORTS": MALLOC}, {"IMPORTS": MALLOC})
    network = ann.Network("fork")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    negative = ann.UnaryOperation.NEG
    made = network.add_elementwise_unary(x, negative, backend="A", name="made")
    by_b = network.add_elementwise_unary(made, negative, backend="B", name="b")
    on_host = network.add_elementwise_unary(made, negative, backend="CpuRef", name="host")
    again = network.add_elementwise_unary(made, negative, backend="B", name="again")
    for name, value in (("b", by_b), ("host", on_host), ("again", again)):
        network.add_output(name, value)
    optimized = ann.optimize(network, ["A", "B", "CpuRef"], runtime=runtime)
    with runtime.load_network(optimized) as loaded:
        loaded.run(X)
        edges.journal()
        outputs = loaded.run(2 * X)
        for name in ("b", "host", "again"):
            np.testing.assert_array_equal(outputs[name], 2 * X)
        assert edges.journal().count("map Test/A/Copy") == 1
