# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Train the network of ``armnn-py demo``: scikit-learn's handwritten digits, plain numpy.

    pip install scikit-learn onnx
    python scripts/train_digits.py

The data set (1,797 pictures of 8 x 8 pixels, values 0 to 16) comes inside scikit-learn. A fifth of
each class is held out and never trained on. Written to ``armnn_py/demo/``: the network as ONNX and
the held-out pictures with their labels. The seed is fixed, so a run repeats.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

FOLDER = Path(__file__).resolve().parent.parent / "armnn_py" / "demo"
SEED = 7
EPOCHS = 60
BATCH = 64
RATE = 2e-3

Arrays = dict[str, np.ndarray]


def split(labels: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return indices to train on and to hold out: one fifth of each class."""
    train, held_out = [], []
    for digit in range(10):
        indices = generator.permutation(np.flatnonzero(labels == digit))
        count = len(indices) // 5
        held_out.append(indices[:count])
        train.append(indices[count:])
    return np.concatenate(train), generator.permutation(np.concatenate(held_out))


def initial(generator: np.random.Generator) -> Arrays:
    """Return He-initialised weights of three convolutions and one dense layer."""
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "conv3": (32, 32, 3, 3)}
    weights: Arrays = {}
    for name, shape in shapes.items():
        scale = np.sqrt(2 / np.prod(shape[1:]))
        weights[f"{name}.weight"] = generator.normal(0, scale, shape).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    weights["dense.weight"] = generator.normal(0, np.sqrt(1 / 128), (10, 128)).astype(np.float32)
    weights["dense.bias"] = np.zeros(10, np.float32)
    return weights


def columns(x: np.ndarray) -> np.ndarray:
    """Return the 3 x 3 neighbourhoods of each pixel: (N, H, W, C*9), zero outside."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(*x.shape[:1], *x.shape[2:], -1)


def convolve(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return relu(convolution) and the columns that its gradient needs."""
    patches = columns(x)
    y = patches @ weight.reshape(len(weight), -1).T + bias
    return np.maximum(y, 0).transpose(0, 3, 1, 2), patches


def convolve_gradient(
    grad: np.ndarray, y: np.ndarray, patches: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the gradients of input, weight and bias."""
    grad = (grad * (y > 0)).transpose(0, 2, 3, 1)
    flat = grad.reshape(-1, grad.shape[-1])
    weight_grad = (flat.T @ patches.reshape(len(flat), -1)).reshape(weight.shape)
    turned = weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    around = columns(grad.transpose(0, 3, 1, 2))
    x_grad = (around @ turned.reshape(len(turned), -1).T).transpose(0, 3, 1, 2)
    return x_grad, weight_grad, flat.sum(0)


def pool(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the 2 x 2 maximum and the mask of where it came from."""
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max((3, 5))
    mask = blocks == y[:, :, :, None, :, None]
    return y, mask / mask.sum((3, 5), keepdims=True)


def unpool(grad: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the gradient of `pool`'s input."""
    n, c, h, _, w, _ = mask.shape
    return (grad[:, :, :, None, :, None] * mask).reshape(n, c, 2 * h, 2 * w)


def forward(x: np.ndarray, weights: Arrays) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Return the scores of the ten digits and what the gradient needs."""
    y1, p1 = convolve(x, weights["conv1.weight"], weights["conv1.bias"])
    y2, p2 = convolve(y1, weights["conv2.weight"], weights["conv2.bias"])
    s2, m2 = pool(y2)
    y3, p3 = convolve(s2, weights["conv3.weight"], weights["conv3.bias"])
    s3, m3 = pool(y3)
    flat = s3.reshape(len(x), -1)
    scores = flat @ weights["dense.weight"].T + weights["dense.bias"]
    return scores, (y1, p1, y2, p2, m2, y3, p3, m3, flat)


def gradients(x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Arrays:
    """Return the gradient of the mean cross-entropy."""
    scores, (y1, p1, y2, p2, m2, y3, p3, m3, flat) = forward(x, weights)
    shares = np.exp(scores - scores.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    shares[np.arange(len(x)), labels] -= 1
    shares /= len(x)
    grads: Arrays = {"dense.weight": shares.T @ flat, "dense.bias": shares.sum(0)}
    back = (shares @ weights["dense.weight"]).reshape(len(x), 32, 2, 2)
    for name, y, patches, mask in (("conv3", y3, p3, m3), ("conv2", y2, p2, m2),
                                   ("conv1", y1, p1, None)):  # fmt: skip
        back = unpool(back, mask) if mask is not None else back
        back, grads[f"{name}.weight"], grads[f"{name}.bias"] = convolve_gradient(
            back, y, patches, weights[f"{name}.weight"]
        )
    return grads


def moved(x: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return the pictures shifted by at most one pixel, each its own way."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    rows, cols = generator.choice([0, 1, 1, 2], (2, len(x)))
    return np.stack(
        [p[:, r : r + 8, c : c + 8] for p, r, c in zip(padded, rows, cols, strict=True)]
    )


def train(x: np.ndarray, labels: np.ndarray, generator: np.random.Generator) -> Arrays:
    """Return weights trained by Adam with a falling rate."""
    weights = initial(generator)
    first = {name: np.zeros_like(w) for name, w in weights.items()}
    second = {name: np.zeros_like(w) for name, w in weights.items()}
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = generator.permutation(len(x))
        for start in range(0, len(x), BATCH):
            chosen = order[start : start + BATCH]
            step += 1
            for name, grad in gradients(
                moved(x[chosen], generator), labels[chosen], weights
            ).items():
                first[name] = 0.9 * first[name] + 0.1 * grad
                second[name] = 0.999 * second[name] + 0.001 * grad**2
                change = first[name] / (1 - 0.9**step)
                change /= np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
                weights[name] = (weights[name] - rate * change).astype(np.float32)
    return weights


def export(weights: Arrays, path: Path) -> None:
    """Write the network, with pixels from 0 to 16 as input and probabilities as output."""
    nodes = [
        helper.make_node("Div", ["image", "full_scale"], ["scaled"], "scale"),
        helper.make_node("Conv", ["scaled", "conv1.weight", "conv1.bias"], ["c1"], "conv1",
                         pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("Conv", ["r1", "conv2.weight", "conv2.bias"], ["c2"], "conv2",
                         pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"], "relu2"),
        helper.make_node("MaxPool", ["r2"], ["s2"], "pool2", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["s2", "conv3.weight", "conv3.bias"], ["c3"], "conv3",
                         pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c3"], ["r3"], "relu3"),
        helper.make_node("MaxPool", ["r3"], ["s3"], "pool3", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["s3"], ["flat"], "flatten"),
        helper.make_node("Gemm", ["flat", "dense.weight", "dense.bias"], ["scores"], "dense",
                         transB=1),
        helper.make_node("Softmax", ["scores"], ["probabilities"], "softmax", axis=1),
    ]  # fmt: skip
    constants = {"full_scale": np.float32(16), **weights}
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 10])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def main() -> None:
    """Train, say how good it is on pictures it has not seen, and write both files."""
    generator = np.random.default_rng(SEED)
    data = load_digits()
    images = data.images.astype(np.float32)[:, None]
    train_on, held_out = split(data.target, generator)
    weights = train(images[train_on] / 16, data.target[train_on], generator)
    scores, _ = forward(images[held_out] / 16, weights)
    right = int((scores.argmax(1) == data.target[held_out]).sum())
    print(f"held out: {right} of {len(held_out)} right ({right / len(held_out):.2%})")
    FOLDER.mkdir(exist_ok=True)
    export(weights, FOLDER / "digits.onnx")
    np.savez_compressed(
        FOLDER / "digits_held_out.npz",
        images=data.images[held_out].astype(np.uint8),
        labels=data.target[held_out].astype(np.uint8),
    )


if __name__ == "__main__":
    main()
