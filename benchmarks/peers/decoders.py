# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One step of a causal language model with random weights, in the operators that exporters write.

    python benchmarks/peers/decoders.py FOLDER [PAST...]

writes FOLDER/decoder_PAST.onnx: a token and the cache of PAST earlier ones in, what may follow and
the longer cache out. In the manner of Llama (Touvron et al. 2023): 4 layers, 512 wide, 8 heads over
4 heads of keys and values, a vocabulary of 8192, rotary embedding, RMS normalisation, SiLU gates.
Without PAST the cache has a free dimension. `fixed_LENGTH` in place of it makes a cache of LENGTH
tokens, seen or not, whose row at `position` is replaced: what goes in and comes out may be one
array.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, WIDTH, HEADS, KEY_HEADS, HIDDEN, VOCABULARY, LONGEST = 4, 512, 8, 4, 1408, 8192, 2048
HEAD = WIDTH // HEADS


class Decoder:
    """The graph under construction; values are names."""

    def __init__(self, past: int | str, *, is_fixed: bool = False) -> None:
        self.past = past
        self.is_fixed = is_fixed
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.random = np.random.default_rng(11)

    def constant(self, value: object) -> str:
        """Add a constant."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weights(self, rows: int, columns: int) -> str:
        """Add a matrix of weights."""
        scale = np.float32(rows**-0.5)
        return self.constant(self.random.standard_normal((rows, columns), np.float32) * scale)

    def __call__(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Add an operator; returns the name of its only output."""
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [f"{name}:0"], name=name, **attributes))
        return f"{name}:0"

    def shaped(self, x: str, *shape: int) -> str:
        """Reshape."""
        return self("Reshape", x, self.constant(np.int64(shape)))

    def part(self, x: str, begin: int, end: int) -> str:
        """Cut along the last dimension."""
        ends = (self.constant(np.int64([place])) for place in (begin, end, -1))
        return self("Slice", x, *ends)

    def normalized(self, x: str) -> str:
        """RMS normalisation, written out."""
        square = self("Pow", x, self.constant(np.float32(2)))
        mean = self("ReduceMean", square, axes=[-1])
        root = self("Sqrt", self("Add", mean, self.constant(np.float32(1e-5))))
        scaled = self("Mul", x, self("Div", self.constant(np.float32(1)), root))
        return self("Mul", self.constant(np.ones(WIDTH, np.float32)), scaled)

    def rotated(self, x: str, cosine: str, sine: str) -> str:
        """Rotary embedding of [1, heads, 1, HEAD], written out."""
        half = HEAD // 2
        turned = self("Neg", self.part(x, half, HEAD))
        turned = self("Concat", turned, self.part(x, 0, half), axis=-1)
        return self("Add", self("Mul", x, cosine), self("Mul", turned, sine))

    def heads_of(self, x: str, heads: int) -> str:
        """Project, and bring heads to the front: [1, heads, 1, HEAD]."""
        product = self("MatMul", x, self.weights(WIDTH, heads * HEAD))
        return self("Transpose", self.shaped(product, 1, 1, heads, HEAD), perm=[0, 2, 1, 3])

    def repeated(self, x: str) -> str:
        """Repeat heads of keys or values for the heads of queries that share them."""
        share = HEADS // KEY_HEADS
        wide = self("Unsqueeze", x, self.constant(np.int64([2])))
        wide = self("Expand", wide, self.constant(np.int64([1, 1, share, 1, 1])))
        return self("Reshape", wide, self.constant(np.int64([1, HEADS, -1, HEAD])))

    def cached(self, name: str, new: str) -> str:
        """Put a row for the new token behind those of the cache, or at its place among them."""
        if not self.is_fixed:
            return self("Concat", f"past_{name}", new, axis=2)
        heads = np.zeros((1, KEY_HEADS, 1, 2), np.int64)
        heads[..., 1] = np.arange(KEY_HEADS).reshape(1, KEY_HEADS, 1)
        place = self.shaped("position", 1, 1, 1, 1)
        place = self("Expand", place, self.constant(np.int64([1, KEY_HEADS, 1, 1])))
        places = self("Concat", self.constant(heads), place, axis=-1)
        return self("ScatterND", f"past_{name}", places, new)

    def attention(self, x: str, layer: int, mask: str, angles: tuple[str, str]) -> str:
        """Attention over the cache and the new token."""
        query = self.rotated(self.heads_of(x, HEADS), *angles)
        key = self.rotated(self.heads_of(x, KEY_HEADS), *angles)
        key = self.cached(f"key_{layer}", key)
        value = self.cached(f"value_{layer}", self.heads_of(x, KEY_HEADS))
        for name, now in ((f"key_{layer}", key), (f"value_{layer}", value)):
            self.nodes.append(helper.make_node("Identity", [now], [name], name=name))
        turned = self("Transpose", self.repeated(key), perm=[0, 1, 3, 2])
        scores = self("MatMul", query, turned)
        scores = self("Mul", scores, self.constant(np.float32(HEAD**-0.5)))
        shares = self("Softmax", self("Add", scores, mask), axis=-1)
        mixed = self("MatMul", shares, self.repeated(value))
        mixed = self.shaped(self("Transpose", mixed, perm=[0, 2, 1, 3]), 1, 1, WIDTH)
        return self("MatMul", mixed, self.weights(WIDTH, WIDTH))

    def gated(self, x: str) -> str:
        """The block behind attention: SiLU of one product times another."""
        gate = self("MatMul", x, self.weights(WIDTH, HIDDEN))
        gate = self("Mul", gate, self("Sigmoid", gate))
        both = self("Mul", gate, self("MatMul", x, self.weights(WIDTH, HIDDEN)))
        return self("MatMul", both, self.weights(HIDDEN, WIDTH))

    def model(self) -> onnx.ModelProto:
        """Build all layers."""
        angles = np.outer(np.arange(LONGEST), 10000.0 ** (-np.arange(0, HEAD, 2) / HEAD))
        both = np.concatenate([angles, angles], 1).astype(np.float32)
        tables = [self.constant(function(both)) for function in (np.cos, np.sin)]
        cosine, sine = (self("Gather", table, "position") for table in tables)
        x = self("Gather", self.weights(VOCABULARY, WIDTH), "token")
        hidden = self.constant(np.float32(np.finfo(np.float32).min))
        seen = self("Cast", "seen", to=TensorProto.BOOL)
        mask = self("Where", seen, self.constant(np.float32(0)), hidden)
        for layer in range(LAYERS):
            x = self("Add", x, self.attention(self.normalized(x), layer, mask, (cosine, sine)))
            x = self("Add", x, self.gated(self.normalized(x)))
        logits = self("MatMul", self.normalized(x), self.weights(WIDTH, VOCABULARY))
        self.nodes.append(helper.make_node("Identity", [logits], ["logits"], name="logits"))
        info = helper.make_tensor_value_info
        longer = self.past + 1 if isinstance(self.past, int) else "longer"
        if self.is_fixed:
            longer = self.past
        cache = [f"{what}_{layer}" for layer in range(LAYERS) for what in ("key", "value")]
        inputs = [info(name, TensorProto.INT64, [1, 1]) for name in ("token", "position")]
        inputs += [info("seen", TensorProto.INT64, [1, 1, 1, longer])]
        before = [1, KEY_HEADS, self.past, HEAD]
        inputs += [info(f"past_{name}", TensorProto.FLOAT, before) for name in cache]
        outputs = [info("logits", TensorProto.FLOAT, [1, 1, VOCABULARY])]
        after = [1, KEY_HEADS, longer, HEAD]
        outputs += [info(name, TensorProto.FLOAT, after) for name in cache]
        graph = helper.make_graph(self.nodes, "decoder", inputs, outputs, self.constants)
        opset = helper.make_opsetid("", 17)
        return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def main() -> None:
    """Write the networks named on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for text in sys.argv[2:] or ["past"]:
        is_fixed = text.startswith("fixed_")
        length = text.removeprefix("fixed_")
        past = int(length) if length.isdigit() else length
        onnx.save(Decoder(past, is_fixed=is_fixed).model(), folder / f"decoder_{text}.onnx")


if __name__ == "__main__":
    main()
