# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Unplanned ends: garbage cycles, closing while others work, signals, forks, exits.

Each runs in a process of its own, because what is tested is that the process survives.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PRELUDE = """
import gc, os, signal, sys, threading, time
import numpy as np
import armnn_py as ann

FOLDER = {folder!r}

def chain(rows, layers=3, backend=None):
    network = ann.Network("chain")
    x = y = network.add_input("x", ann.TensorInfo((rows, 4)))
    for _ in range(layers):
        y = network.add_addition(y, x, backend=backend)
    network.add_output("y", y)
    return network

def dynamic(layers=3, delay=0.0):
    def build(infos):
        time.sleep(delay)
        return chain(infos["x"].shape[0], layers)
    return ann.Network.from_builder(
        "free", {{"x": ann.TensorInfo((None, 4))}}, build, {{"y": ann.TensorInfo((None, 4))}})

def slow(layers=4000):
    network = ann.Network("slow")
    y = network.add_input("x", ann.TensorInfo((256, 256)))
    eye = network.add_constant(np.eye(256, dtype=np.float32))
    for _ in range(layers):
        y = network.add_batch_mat_mul(y, eye)
    network.add_output("y", y)
    return network

ONES = np.ones((256, 256), np.float32)
"""


@pytest.fixture
def run(dozen_folder: Path, tmp_path: Path):
    """Run a program after the prelude; it must end by itself with "done" and status 0."""

    def call(body: str) -> None:
        program = PRELUDE.format(folder=str(dozen_folder)) + textwrap.dedent(body)
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-c", program],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        assert done.stdout.endswith("done\n"), (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, done.stderr

    return call


@pytest.mark.parametrize("order", ["runtime first", "network first"])
def test_runtime_and_network_in_one_garbage_cycle(run, order: str) -> None:
    run(
        f"""
        class Holder: pass
        holder = Holder()
        holder.self = holder
        runtime = ann.Runtime(FOLDER)
        net = ann.load(chain(2), ["Dozen"], runtime=runtime)
        net.run(np.ones((2, 4), np.float32))
        if {order!r} == "runtime first":
            holder.runtime, holder.net = runtime, net
        else:
            holder.net, holder.runtime = net, runtime
        del runtime, net, holder
        gc.collect()
        maps = open("/proc/self/maps").read()
        assert "Test_Dozen_backend.so" not in maps
        print("done")
        """
    )


def test_everything_dropped_without_close(run) -> None:
    run(
        """
        net = ann.load(chain(2), ["Dozen"], runtime=ann.Runtime(FOLDER))
        net.run(np.ones((2, 4), np.float32))
        del net
        gc.collect()
        assert "Test_Dozen_backend.so" not in open("/proc/self/maps").read()
        print("done")
        """
    )


def test_a_backend_whose_last_user_is_freed_at_the_end_of_the_interpreter(run) -> None:
    """What compiled sub-graphs keep alive may go after the modules."""
    run(
        """
        runtime = ann.Runtime()
        net = runtime.load_network(ann.optimize(chain(2), ["CpuAcc"], runtime=runtime))
        bound = net.bind({"x": np.ones((2, 4), np.float32)})
        bound.run()
        ends_with_its_module = lambda: (net, bound)
        print("done")
        """
    )


def test_guarded_pages_that_are_freed_after_their_module(run) -> None:
    """An interrupted program may leave them to the end, where a module's names are all None."""
    run(
        """
        from armnn_py._native.memory import guarded_memory
        os.kept = guarded_memory, guarded_memory.Region(100, 64, "end", 0xAA)  # goes later
        print("done")
        """
    )


@pytest.mark.parametrize("what", ["network", "runtime"])
def test_close_while_a_plan_is_built(run, what: str) -> None:
    run(
        f"""
        for delay in (0.0, 0.01, 0.05):
            runtime = ann.Runtime(FOLDER)
            net = ann.load(dynamic(50, delay=0.05), ["Dozen"], runtime=runtime)
            errors = []
            def work():
                try:
                    net.run(np.ones((3, 4), np.float32))
                except ann.InvalidArgumentError as error:
                    errors.append(str(error))
            thread = threading.Thread(target=work)
            thread.start()
            time.sleep(delay)
            (net if {what!r} == "network" else runtime).close()
            thread.join()
            assert all("closed" in error for error in errors), errors
            runtime.close()
            assert "Test_Dozen_backend.so" not in open("/proc/self/maps").read()
        print("done")
        """
    )


def test_cancel_from_a_signal_handler(run) -> None:
    run(
        """
        net = ann.load(slow(), ["CpuRef"])
        for delay in (0.001, 0.01, 0.1):
            token = ann.CancelToken()
            signal.signal(signal.SIGALRM, lambda *_: token.cancel())
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                net.run(ONES, cancel=token)
            except ann.ExecutionCancelledError:
                pass
        net.close()
        print("done")
        """
    )


def test_a_signal_handler_may_run_the_network_and_may_not_close_it(run) -> None:
    run(
        """
        net = ann.load(slow(400), ["CpuRef"])
        seen = []
        def handler(*_):
            try:
                net.close()
            except ann.InvalidArgumentError as error:
                seen.append("running in this thread" in str(error))
            try:
                net.run(ONES, timeout=0.01)
            except ann.ExecutionTimeoutError:
                seen.append(True)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        net.run(ONES)
        assert seen == [True, True], seen
        net.close()
        print("done")
        """
    )


def test_close_after_many_interrupts(run) -> None:
    """Interrupts at every point of run(), most of them outside of the native call."""
    run(
        """
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        net = ann.load(chain(4), ["CpuRef"])
        x = np.ones((4, 4), np.float32)
        net.run(x)  # imports, whose clean-up drops an exception: then nothing would end the loop
        interrupts = 0
        saved = []
        deadline = time.monotonic() + 3
        while interrupts < 300 and time.monotonic() < deadline:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0003 + 0.000001 * (interrupts % 50))
                while True:
                    net.run(x)
            except KeyboardInterrupt as error:
                interrupts += 1
                if interrupts % 10 == 0:
                    saved.append(error)  # its traceback holds the frames of run()
        assert interrupts > 50
        signal.setitimer(signal.ITIMER_REAL, 0)
        np.testing.assert_array_equal(net.run(x)["y"], 4 * x)
        net.close()
        print("done")
        """
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("saved", [False, True], ids=["dropped", "saved with its traceback"])
def test_an_exception_at_every_bytecode(run, saved: bool) -> None:
    """As a signal handler may raise one; then it runs as before and no memory is left over."""
    run(
        f"""
        from armnn_py.runtime.contexts.execution_context import ExecutionContext
        alive = set()
        for name, act in (("__init__", alive.add), ("destroy", alive.discard)):
            def wrapped(self, *args, function=getattr(ExecutionContext, name), act=act):
                function(self, *args)
                act(id(self))
            setattr(ExecutionContext, name, wrapped)

        class Interrupt(BaseException): pass
        net = ann.load(chain(4), ["CpuRef"])
        x = np.ones((4, 4), np.float32)
        net.run(x)
        caught = []
        position = 0
        while True:
            position += 1
            passed = 0
            def trace(frame, event, argument):
                global passed
                frame.f_trace_opcodes = True
                if event == "opcode":
                    passed += 1
                    if passed == position:
                        sys.settrace(None)
                        raise Interrupt
                return trace
            try:
                sys.settrace(trace)
                net.run(x)
            except Interrupt as error:
                if {saved}:
                    caught.append(error)
            finally:
                sys.settrace(None)
            np.testing.assert_array_equal(net.run(x)["y"], 4 * x)
            if passed < position:
                break
            assert len(alive) <= 1 + len(caught), (position, len(alive))
        assert position > 300
        net.close()
        assert not alive
        print("done")
        """
    )


@pytest.mark.exhaustive
def test_a_signal_handler_closes_at_every_bytecode(run) -> None:
    """Outside of the native call a run is not visible: it ends, and nothing breaks."""
    run(
        """
        runtime = ann.Runtime()
        network = chain(4)
        x = np.ones((4, 4), np.float32)
        position = 0
        results = {"ran": 0, "closed": 0}
        while True:
            position += 1
            passed = 0
            net = ann.load(network, ["CpuRef"], runtime=runtime)
            net.run(x)
            def trace(frame, event, argument):
                global passed
                frame.f_trace_opcodes = True
                if event == "opcode":
                    passed += 1
                    if passed == position:
                        sys.settrace(None)
                        net.close()
                return trace
            try:
                sys.settrace(trace)
                y = net.run(x)["y"]
                sys.settrace(None)
                np.testing.assert_array_equal(y, 4 * x)
                results["ran"] += 1
            except ann.InvalidArgumentError as error:
                assert "closed" in str(error), error
                results["closed"] += 1
            finally:
                sys.settrace(None)
            if passed < position:
                break
        assert net.closed is False
        assert results["ran"] > 50, results
        assert results["closed"] > 200, results
        print("done")
        """
    )


@pytest.mark.exhaustive
def test_fork_while_another_thread_runs(run) -> None:
    run(
        """
        net = ann.load(slow(600), ["CpuRef"])
        small = ann.load(chain(4), ["CpuRef"])
        thread = threading.Thread(target=net.run, args=(ONES,))
        thread.start()
        time.sleep(0.05)
        child = os.fork()
        if child == 0:
            x = np.ones((4, 4), np.float32)
            np.testing.assert_array_equal(small.run(x)["y"], 4 * x)
            try:
                net.run(ONES, timeout=0.05)
            except ann.ExecutionTimeoutError:
                pass
            net.close()
            ann.load(chain(4), ["CpuRef"]).run(x)
            sys.exit(7)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7, status
        thread.join()
        np.testing.assert_array_equal(net.run(ONES)["y"], ONES)
        print("done")
        """
    )


def test_exit_while_a_daemon_thread_runs(run) -> None:
    run(
        """
        net = ann.load(slow(5000), ["CpuRef"])
        def work():
            try:
                net.run(ONES)
            except ann.ExecutionCancelledError:
                pass
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
        print("done", flush=True)
        """
    )


def test_load_and_optimize_while_the_runtime_closes(run) -> None:
    run(
        """
        for delay in (0.0, 0.002, 0.01):
            runtime = ann.Runtime(FOLDER)
            network = chain(3, layers=300)
            def work():
                try:
                    while True:
                        runtime.load_network(ann.optimize(network, ["Dozen"], runtime=runtime))
                except ann.InvalidArgumentError as error:
                    assert "closed" in str(error), error
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads: thread.start()
            time.sleep(delay)
            runtime.close()
            for thread in threads: thread.join()
            gc.collect()
            assert "Test_Dozen_backend.so" not in open("/proc/self/maps").read()
        print("done")
        """
    )


_AT_EXIT = """
import atexit, sys, threading, time

def late():
    try:
        NET.run(FEED)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])

if sys.argv[1] == "handler":
    atexit.register(late)  # before the package's own, so that it runs after it
import numpy as np
import armnn_py as ann
network = ann.Network("one")
x = network.add_input("x", ann.TensorInfo((1, 4)))
network.add_output("y", network.add_addition(x, x))
NET, FEED = ann.load(network, ["CpuRef"]), {"x": np.ones((1, 4), np.float32)}

def repeat():
    while True:
        NET.run(FEED)

if sys.argv[1] == "daemon":
    for _ in range(3):
        threading.Thread(target=repeat, daemon=True).start()
    time.sleep(0.1)
"""


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("handler", "InvalidArgumentError the interpreter is ending: network 'one' is closed\n"),
        ("daemon", ""),
    ],
)
def test_a_run_while_the_interpreter_ends(who: str, said: str) -> None:
    """A sentence for who can read it, and no traceback of a thread that ends with the program."""
    done = subprocess.run(
        [sys.executable, "-c", _AT_EXIT, who],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
