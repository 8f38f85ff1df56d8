# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Functions that call themselves, and the bound of each: files must not exhaust the stack.

A function counts if it names itself, or reaches itself over functions of its module and methods of
its class. The list only shrinks: what can be a loop is one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "armnn_py"

SAME_NAME = "not recursive: a value of this name, or the same method of another object"
CALLBACK = "not recursive: the event loop calls it later"
ONCE = "once: the operands are of another type then"
CONSTANTS = "operands that are constants, which have none, or formulas, at most 32"
FIELDS = "fields of records of the package, which nest two deep"
BODIES = "graphs inside each other, at most 16: NodeReader._body"
PARTS = "parts inside of or behind each other: tflite/parts.py"
STAGES = "stages behind each other, at most 64: onnx/stages.py"

BOUNDS = {
    "_native/table/backend_options.py": {"_bytes_of": SAME_NAME, "text": SAME_NAME},
    "_native/layers/reusable.py": {"SizePlaces._add_fields": FIELDS},
    "_native/table/support.py": {"NativeLayerSupport.ask_many": "once: each of the layers alone"},
    "cli/app.py": {"_strict": "once for each level of commands, which are two"},
    "comparing/networks.py": {"StagesSeen.run": STAGES},
    "descriptors/base.py": {
        "_check_for": "type annotations of the package",
        "_plain": FIELDS,
        "_plain_item": FIELDS,
    },
    "frontends/common/emit/arithmetic.py": {
        "Arithmetic.activation": ONCE,
        "Arithmetic.binary": ONCE,
        "Arithmetic.cast": ONCE,
        "Arithmetic.compare": ONCE,
        "Arithmetic.reduce": ONCE,
        "Arithmetic.unary": ONCE,
        "Arithmetic.widened": ONCE,
    },
    "frontends/common/emit/base.py": {
        "EmitterBase._slot_of_sizes": CONSTANTS,
        "EmitterBase.layer": CONSTANTS,
        "EmitterBase.layers": CONSTANTS,
        "EmitterBase.slot": CONSTANTS,
    },
    "frontends/common/emit/movement.py": {"Movement.gather": ONCE},
    "frontends/common/emit/emitter.py": {
        "Ordering.count_up": "once with the start, once with the step",
        "Ordering.scatter_nd": ONCE,
    },
    "frontends/common/emit/sizes.py": {"_one": "once: of integers then"},
    "frontends/onnx/file/model.py": {"_is_random": BODIES},
    "frontends/onnx/file/node_reading.py": {
        "NodeReader._body": BODIES,
        "NodeReader._ordered": BODIES,
        "NodeReader.nodes": BODIES,
    },
    "frontends/onnx/operators/microsoft/few_bits.py": {"_unpacked": SAME_NAME, "levels": SAME_NAME},
    "frontends/onnx/operators/standard/quantization.py": {"dequantize": ONCE},
    "frontends/onnx/operators/windows/resizing.py": {"_of_integers": ONCE, "_resize": ONCE},
    "frontends/onnx/file/reading.py": {
        "_Walk._attribute": BODIES,
        "_Walk._graph": BODIES,
        "_Walk._node": BODIES,
    },
    "frontends/onnx/file/small_types.py": {"back": SAME_NAME},
    "frontends/onnx/convert/work.py": {
        "_plain": "an attribute is a list of numbers or texts, not of lists"
    },
    "frontends/onnx/file/tensors.py": {"_read_packed": ONCE, "read_tensor": ONCE},
    "frontends/onnx/operators/ml/trees.py": {
        "search": "halves: at most 24 for members in a file of 16 million"
    },
    "frontends/tflite/building.py": {"_at_larger_sizes": PARTS, "network_of": PARTS},
    "isolation/supervisor.py": dict.fromkeys(
        (
            "Supervisor._new_process",
            "Supervisor._note_end",
            "Supervisor._restart",
            "Supervisor._start_process",
            "Supervisor._take_place",
        ),
        "not recursive: the thread that watches the next process calls it",
    ),
    "network/stages.py": {"walk_stages": STAGES},
    "optimizer/measuring/measured_times.py": {"_plain": FIELDS},
    "optimizer/saved/descriptor_values.py": {"_field_to_json": FIELDS},
    "runtime/general_runs.py": {"GeneralRuns.run": SAME_NAME},
    "runtime/bounded/bounded_sizes.py": {"evaluate": FIELDS, "find_rule": FIELDS},
    "runtime/network_cache.py": {"_text": "arguments of the caller of load"},
    "runtime/profile/profile_stages.py": {"_walk": STAGES},
    "serve/batcher.py": {
        "Batcher._answered": CALLBACK,
        "Batcher._ended": CALLBACK,
        "Batcher._failed": CALLBACK,
        "Batcher._next": CALLBACK,
        "Batcher._pump": CALLBACK,
        "Batcher._woken": CALLBACK,
        "Batcher._work": CALLBACK,
    },
    "serve/grpc_front.py": {"_add": "once: the key and the value of a map"},
    "testing/onnx_suite/case.py": {"compare": "sequences in the data of ONNX's own tests"},
}


def _names(tree: ast.AST, owner: str) -> Iterator[str]:
    """Names that a function reads, and methods of its own object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        ):
            yield f"{owner}.{node.attr}"


def _functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, set[str]]]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, child.name)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{owner}.{child.name}" if owner else child.name, set(_names(child, owner))
            yield from _functions(child)
        else:
            yield from _functions(child, owner)


def recursive(source: str) -> set[str]:
    """Functions of a module that may come to call themselves."""
    calls: dict[str, set[str]] = {}
    for name, read in _functions(ast.parse(source)):
        calls.setdefault(name, set()).update(read)
    found = set()
    for start, called in calls.items():
        seen: set[str] = set()
        ahead = list(called)
        while ahead and start not in seen:
            name = ahead.pop()
            if name not in seen and name in calls:
                seen.add(name)
                ahead += calls[name]
        if start in seen:
            found.add(start)
    return found


def test_recursion_is_found() -> None:
    source = """
def direct(x): return direct(x - 1)
def one(x): return two(x)
def two(x): return one(x)
def plain(x): return direct(x)
class A:
    def f(self): return self.g()
    def g(self): return self.f()
    def h(self): return self.f()
"""
    assert recursive(source) == {"direct", "one", "two", "A.f", "A.g"}


def test_each_function_that_calls_itself_has_a_bound() -> None:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        names = recursive(path.read_text(encoding="utf-8"))
        if names:
            found[path.relative_to(PACKAGE).as_posix()] = names
    assert found == {path: set(names) for path, names in BOUNDS.items()}, (
        "write a loop, or say what bounds the depth"
    )
