# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ctrl-C that comes just when native code calls Python, before any ``try`` can take it.

There ctypes would drop the exception and hand C whatever the memory of the result holds. The first
thing that a callback does stands for its first bytecode: it sends the signal.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import threading
import weakref
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.layers import optimization_sink
from armnn_py._native.table import (
    allocators,
    backend_services,
    guarded_workload,
    handle_registry,
    profiling_context,
    support,
)
from armnn_py.backends import instance_life
from armnn_py.interrupts import deferred_interrupts, deliver_interrupts, interruptible
from armnn_py.runtime.contexts import context_pool

Build = Callable[..., None]
X = np.arange(8, dtype=np.float32).reshape(2, 4)


class Sender:
    """Sends SIGINT on the next call of a function that it was put before."""

    def __init__(self) -> None:
        self.is_armed = False
        self.sent = 0

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self.is_armed:
                self.is_armed = False
                self.sent += 1
                signal.raise_signal(signal.SIGINT)
            return function(*arguments, **named)

        return call


@pytest.fixture
def sender() -> Iterator[Sender]:
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = Sender()
    yield sender
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, kept)
    assert sender.sent


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        yield runtime


@pytest.fixture
def load(tmp_path: Path, build_backend: Build, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A runtime with one backend of tests/fixtures."""
    path = tmp_path / "journal.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))
    folder = tmp_path / "backends"

    def make(name: str, **arguments: Any) -> ann.Runtime:
        if not folder.exists():
            folder.mkdir()
            build_backend(f"{name.lower()}_backend.c", folder / f"Test_{name}_backend.so")
        return ann.Runtime(folder, **arguments)

    make.journal = lambda: path.read_text().splitlines()  # type: ignore[attr-defined]
    return make


def sum_of_sums() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_addition(x, x, name="one")
    network.add_output("y", network.add_addition(y, y, name="two"))
    return network


def negation() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    return network


# ---- The block itself ----------------------------------------------------------------------------


def test_handlers_run_at_the_end_of_the_block(sender: Sender) -> None:
    send = sender.before(lambda: None)
    order = []
    sender.is_armed = True

    def work() -> None:
        with deferred_interrupts():
            with deferred_interrupts():
                send()
                order.append("inner")
            order.append("outer")
        order.append("never")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert order == ["inner", "outer"]


def test_every_handler_runs_and_the_first_exception_comes_out(sender: Sender) -> None:
    seen: list[int] = []

    def handler(number: int, _frame: object) -> None:
        seen.append(number)
        raise ZeroDivisionError

    kept = signal.signal(signal.SIGUSR1, handler)

    def more() -> list[int]:
        signal.raise_signal(signal.SIGUSR1)
        return list(seen)

    send = sender.before(more)
    try:
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt), deferred_interrupts():
            assert send() == []
        assert seen == [signal.SIGUSR1]
        assert signal.getsignal(signal.SIGUSR1) is handler
    finally:
        signal.signal(signal.SIGUSR1, kept)


def test_an_exception_of_a_handler_keeps_nothing_alive(sender: Sender) -> None:
    """A cycle through it would keep what its frames hold, as open files, until a collection."""

    class Held:
        pass

    def interrupted() -> weakref.ref[Held]:
        held = Held()
        try:
            with deferred_interrupts():
                sender.is_armed = True
                sender.before(len)("")
        except KeyboardInterrupt:
            pass
        return weakref.ref(held)

    gc.disable()
    try:
        assert interrupted()() is None
    finally:
        gc.enable()
    assert sender.sent == 1


def test_a_handler_that_a_callback_sets_stays(sender: Sender) -> None:
    def other(*_: object) -> None: ...

    send = sender.before(lambda: None)

    def work() -> None:
        with deferred_interrupts():
            send()
            signal.signal(signal.SIGINT, other)

    sender.is_armed = True
    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGINT) is other
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_code_of_the_program_can_be_interrupted(sender: Sender) -> None:
    send = sender.before(lambda: None)
    caught = 0
    for early in (False, True):
        with deferred_interrupts():
            sender.is_armed = True
            if early:
                send()
            try:
                with interruptible():
                    send()
                    pytest.fail("not interrupted")
            except KeyboardInterrupt:
                caught += 1
    assert caught == 2


def test_noted_signals_can_be_delivered_in_between(sender: Sender) -> None:
    send = sender.before(lambda: None)
    sender.is_armed = True
    with deferred_interrupts():
        send()
        with pytest.raises(KeyboardInterrupt):
            deliver_interrupts()
        deliver_interrupts()


def test_other_threads_change_nothing() -> None:
    handlers = []

    def work() -> None:
        with deferred_interrupts(), interruptible():
            handlers.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [before]


# ---- Callbacks -----------------------------------------------------------------------------------


class Calls(dict[int, Any]):
    """Which calls are open; looked at by callbacks first of all."""

    sender: Sender

    def get(self, key: int, default: Any = None) -> Any:
        return self.sender.before(super().get)(key, default)


def test_a_blob_is_released_once(
    load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal comes after the host became the owner: the answer must say so."""
    real = optimization_sink.NativeBlob.take

    def take(blob: Any) -> None:
        real(blob)
        sender.before(lambda: None)()

    monkeypatch.setattr(optimization_sink.NativeBlob, "take", take)
    with load("Views") as runtime:
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            ann.optimize(sum_of_sums(), ["Views", "CpuRef"], runtime=runtime)
        gc.collect()
        assert load.journal().count("blob released") == load.journal().count("blob made") == 1
        with ann.load(sum_of_sums(), ["Views", "CpuRef"], runtime=runtime) as net:
            np.testing.assert_array_equal(net.run(X)["y"], 4 * X)


@pytest.mark.parametrize(
    ("name", "network", "module", "table"),
    [
        ("Views", sum_of_sums(), optimization_sink, "_open_sinks"),
        ("Handle", negation(), handle_registry, "_lent"),
    ],
    ids=["sink", "registry"],
)
def test_sinks_and_registries(
    load: Any,
    sender: Sender,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    network: ann.Network,
    module: Any,
    table: str,
) -> None:
    calls = Calls()
    calls.sender = sender
    monkeypatch.setattr(module, table, calls)
    with load(name) as runtime:
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            ann.optimize(network, [name, "CpuRef"], runtime=runtime)
        assert not calls
        ann.optimize(network, [name, "CpuRef"], runtime=runtime)


def test_debug_layers(
    runtime: ann.Runtime, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run ends with the exception, or goes on: it never answers with numbers of the last one."""
    monkeypatch.setattr(
        guarded_workload.DebugWorkload,
        "_execute",
        sender.before(guarded_workload.DebugWorkload._execute),
    )
    seen = []
    optimized = ann.optimize(sum_of_sums(), ["CpuRef"], runtime=runtime, debug=True)
    with runtime.load_network(optimized) as net:
        net.register_debug_callback(lambda name, *_: seen.append(name))
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            net.run(X)
        np.testing.assert_array_equal(net.run(2 * X)["y"], 8 * X)

        def stop(*_: object) -> None:
            sender.is_armed = True
            sender.before(lambda: None)()
            pytest.fail("a callback of the program is interrupted at once")

        net.register_debug_callback(stop)
        with pytest.raises(KeyboardInterrupt):
            net.run(X)
        net.register_debug_callback(None)
        np.testing.assert_array_equal(net.run(X)["y"], 4 * X)


def test_a_long_run_with_debug_layers_stops(
    runtime: ann.Runtime, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Handlers run between two layers, and what they raise ends the run."""
    network = ann.Network()
    x = y = network.add_input("x", ann.TensorInfo((128, 128)))
    for _ in range(3000):
        y = network.add_batch_mat_mul(y, x)
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime, debug=True)
    count = 0

    def look(*_: object) -> None:
        nonlocal count
        count += 1

    monkeypatch.setattr(
        guarded_workload.DebugWorkload,
        "_execute",
        sender.before(guarded_workload.DebugWorkload._execute),
    )
    with runtime.load_network(optimized) as net:
        net.register_debug_callback(look)
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            net.run(np.eye(128, dtype=np.float32))
    assert count < 3000


class Arena(ann.Allocator):
    def __init__(self) -> None:
        self.blocks: dict[int, Any] = {}

    def allocate(self, size: int, alignment: int) -> int:
        block = ctypes.create_string_buffer(size + alignment)
        address = -(-ctypes.addressof(block) // alignment) * alignment
        self.blocks[address] = block
        return address

    def free(self, address: int) -> None:
        del self.blocks[address]


@pytest.mark.parametrize("method", ["_allocate", "_region", "_release"])
def test_allocators(
    load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    given = allocators.GivenAllocator
    monkeypatch.setattr(given, method, sender.before(getattr(given, method)))
    arena = Arena()

    def use() -> None:
        sender.is_armed = True
        load("Services", custom_allocators={"Services": arena}).close()

    with pytest.raises(KeyboardInterrupt):
        use()


def test_counters(load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    host = profiling_context._ProfilingHost
    for name in ("_register_counter", "_report"):
        monkeypatch.setattr(host, name, sender.before(getattr(host, name)))
    sender.is_armed = True
    with pytest.raises(KeyboardInterrupt):
        load("Services")
    with load("Services") as runtime:
        services = runtime.backends["Services"]
        assert [counter.name for counter in services.counters] == ["layers", "temperature"]
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            services.read_counters()
        assert services.read_counters()["temperature"] == 21.0


def test_devices(load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        backend_services, "counted_text", sender.before(backend_services.counted_text)
    )
    with load("Services") as runtime:
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            runtime.backends["Services"].devices  # noqa: B018
        assert len(runtime.backends["Services"].devices) == 2


def test_reasons_of_many_layers(load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "counted_text", sender.before(support.counted_text))
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,), ann.DataType.SIGNED32))
    y = network.add_addition(x, x)
    network.add_output("y", network.add_elementwise_unary(y, ann.UnaryOperation.NEG))
    with load("Services") as runtime:
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            ann.optimize(network, ["Services", "CpuRef"], runtime=runtime)


# ---- Closing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["destroy_instance", "quiesce_instance"])
def test_an_interrupted_close_goes_to_its_end(
    load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(instance_life, step, sender.before(getattr(instance_life, step)))
    runtime = load("Services")
    sender.is_armed = True
    with pytest.raises(KeyboardInterrupt):
        runtime.close()
    runtime.close()
    assert load.journal().count("Services destroy") == 1


def test_close_can_be_repeated(load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted before its backends are closed, they are closed by the next call, or the end."""
    registry = ann.backends.BackendRegistry
    monkeypatch.setattr(registry, "close", sender.before(registry.close))
    for number, again in enumerate((True, False)):
        runtime = load("Services")
        sender.is_armed = True
        with pytest.raises(KeyboardInterrupt):
            runtime.close()
        assert load.journal().count("Services destroy") == number
        if again:
            runtime.close()
        del runtime
        gc.collect()
        assert load.journal().count("Services destroy") == number + 1


def test_an_interrupted_close_of_a_network(
    load: Any, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes to its end once nobody runs; while it waits, it is given up."""
    free = context_pool.ContextPool.free
    monkeypatch.setattr(context_pool.ContextPool, "free", sender.before(free))
    runtime = load("Views")
    net = ann.load(sum_of_sums(), ["Views", "CpuRef"], runtime=runtime)
    sender.is_armed = True
    with pytest.raises(KeyboardInterrupt):
        net.close()
    assert load.journal()[-1] == "workload gone"

    net = ann.load(sum_of_sums(), ["Views", "CpuRef"], runtime=runtime)
    lease = net._pool.start()
    lease.thread = -1  # of a run that does not end
    monkeypatch.setattr(net._pool._condition, "wait", sender.before(lambda _: None), raising=False)
    sender.is_armed = True
    with pytest.raises(KeyboardInterrupt):
        net.close()
    assert not net.closed
    np.testing.assert_array_equal(net.run(X)["y"], 4 * X)
    lease.thread = 0
    net.close()
    runtime.close()
    assert load.journal().count("workload gone") == 2


def test_bound_arrays_run_after_an_exception_at_any_bytecode(runtime: ann.Runtime) -> None:
    class Interrupt(BaseException): ...

    def run() -> bool:
        """Run with an exception at that position; whether it came."""
        passed = 0

        def trace(frame: Any, event: str, _argument: object) -> Any:
            nonlocal passed
            frame.f_trace_opcodes = True
            if event == "opcode":
                passed += 1
                if passed == position:
                    sys.settrace(None)
                    raise Interrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            bound.run()
        except Interrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    with ann.load(sum_of_sums(), ["CpuRef"], runtime=runtime) as net, net.bind() as bound:
        position = 1
        while run():
            bound.inputs["x"][...] = X + position
            np.testing.assert_array_equal(bound.run()["y"], 4 * (X + position))
            position += 1
        assert position > 100


def test_handlers_that_are_set_between_blocks_wait_in_the_next_one() -> None:
    """What each signal does is asked anew in every block, though few of them change it."""
    told: list[str] = []
    number = signal.SIGUSR1
    kept = signal.getsignal(number)
    try:
        for name in ("first", "second"):

            def handler(*_: object, name: str = name) -> None:
                told.append(name)

            with deferred_interrupts():
                pass
            signal.signal(number, handler)
            for _ in range(2):
                told.clear()
                with deferred_interrupts():
                    signal.raise_signal(number)
                    assert told == []
                assert told == [name]
                assert signal.getsignal(number) is handler
        signal.signal(number, signal.SIG_IGN)
        with deferred_interrupts():
            assert signal.getsignal(number) == signal.SIG_IGN
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, kept)


def test_exception_in_a_handler_during_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a member open, zipfile fails to close the file and hides what was raised."""
    opened = []
    real = zipfile.ZipFile.open

    def interrupted(self: zipfile.ZipFile, *arguments: object, **more: object) -> object:
        opened.append((self, real(self, *arguments, **more)))  # type: ignore[arg-type]
        raise LookupError("of a handler")

    demo = Path(ann.__file__).parent / "demo" / "digits.onnx"
    with ann.Runtime() as runtime:
        optimized = ann.optimize(ann.import_model(demo), ["CpuRef"], runtime=runtime)
        with monkeypatch.context() as patch:
            patch.setattr(zipfile.ZipFile, "open", interrupted)
            with pytest.raises(LookupError, match="of a handler"):
                optimized.save(tmp_path / "network.armnn")
    for archive, _ in opened:
        archive.fp = None  # else it is closed once more when it goes
    assert not list(tmp_path.iterdir())
