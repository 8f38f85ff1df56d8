# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The memory manager of a backend's table: made for a network, acquired by its first context."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Journal, MakeRuntime

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def network() -> ann.Network:
    network = ann.Network("small")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    return network


def test_life_of_a_manager(make_runtime: MakeRuntime, journal: Journal) -> None:
    loaded = ann.load(network(), ["Manager"], runtime=make_runtime("manager"))
    assert journal() == ["make manager", "make factory with a manager"]
    for factor in (1, 2):
        np.testing.assert_array_equal(loaded.run(factor * X)["y"], -factor * X)
    assert journal() == ["acquire"]
    loaded.close()
    assert journal() == ["destroy factory", "release", "destroy manager"]


def test_many_contexts_share_one_manager(make_runtime: MakeRuntime, journal: Journal) -> None:
    with (
        ann.load(network(), ["Manager"], runtime=make_runtime("manager")) as loaded,
        ThreadPoolExecutor(8) as pool,
    ):
        journal()
        for factor, outputs in enumerate(pool.map(lambda f: loaded.run(f * X), range(64))):
            np.testing.assert_array_equal(outputs["y"], -factor * X)
        assert journal() == ["acquire"]


def test_a_network_that_is_never_run_acquires_nothing(
    make_runtime: MakeRuntime, journal: Journal
) -> None:
    ann.load(network(), ["Manager"], runtime=make_runtime("manager")).close()
    lines = journal()
    assert lines[-2:] == ["destroy factory", "destroy manager"]
    assert "acquire" not in lines


def test_no_memory_fails_the_run_and_the_next_one_tries_again(
    make_runtime: MakeRuntime, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = ann.load(network(), ["Manager"], runtime=make_runtime("manager"))
    monkeypatch.setenv("ARMNN_TEST_FULL", "1")
    with pytest.raises(ann.OutOfMemoryError, match=r"'Manager': .* acquire of a memory") as caught:
        loaded.run(X)
    assert "the device is full" in str(caught.value)
    monkeypatch.delenv("ARMNN_TEST_FULL")
    np.testing.assert_array_equal(loaded.run(X)["y"], -X)
    loaded.close()
    assert journal()[-5:] == [
        "acquire",
        "acquire",
        "destroy factory",
        "release",
        "destroy manager",
    ]


def test_success_without_a_manager_means_none(make_runtime: MakeRuntime, journal: Journal) -> None:
    with ann.load(
        network(), ["Manager"], runtime=make_runtime("manager", "-DMANAGER_NULL=1")
    ) as loaded:
        np.testing.assert_array_equal(loaded.run(X)["y"], -X)
    assert journal() == ["make factory", "destroy factory"]


@pytest.mark.parametrize(
    ("define", "words"),
    [
        ("-DMANAGER_STATUS=ARMNN_STATUS_INTERNAL", "'Manager': create_memory_manager failed"),
        ("-DMANAGER_TAG=ARMNN_STRUCT_BACKEND", "'Manager' gave an object whose table has tag"),
    ],
)
def test_faulty_managers(
    make_runtime: MakeRuntime, define: str, words: str, journal: Journal
) -> None:
    with pytest.raises(ann.BackendError) as caught:
        ann.load(network(), ["Manager"], runtime=make_runtime("manager", define))
    assert words in str(caught.value)
    assert "make factory" not in " ".join(journal())
