# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The published networks that the benchmarks run, with random weights.

    python benchmarks/peers/networks.py FOLDER [NAME...]

writes FOLDER/NAME.onnx. The architectures follow their papers: ResNet-50 (He et al. 2015),
MobileNetV2 (Sandler et al. 2018), MobileNetV3-small (Howard et al. 2019), EfficientNet-Lite0,
SqueezeNet 1.1 (Iandola et al. 2016), VGG-11 (Simonyan and Zisserman 2014), a detector in the
manner of YOLOv5n at 320 x 320, and the transformers of `encoders`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import onnx
from encoders import bert_tiny, vit_tiny
from graph_builder import GraphBuilder, Value

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE = (1, 3, 224, 224)


def resnet50(g: GraphBuilder) -> list[Value]:
    """ResNet-50 with the stride in the 3x3 layers (4.1 G multiply-adds)."""
    x = g.max_pool(g.conv(g.input, 64, 7, 2, "relu"), 3, 2, pad=1)
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            stride = 2 if block == 0 and width != 64 else 1
            y = g.conv(x, width, 1, 1, "relu")
            y = g.conv(y, width, 3, stride, "relu")
            y = g.conv(y, 4 * width, 1)
            if block == 0:
                x = g.conv(x, 4 * width, 1, stride)
            x = g.activate(g.add(y, x), "relu")
    return [g.dense(g.flatten(g.global_pool(x)), 1000)]


def _bottleneck(
    g: GraphBuilder,
    x: Value,
    hidden: int,
    channels: int,
    kernel: int,
    stride: int,
    activation: str,
    squeeze: int = 0,
) -> Value:
    """Inverted residual: expand, depthwise, (squeeze and excite,) project."""
    inputs = x.shape[1]
    y = x if hidden == inputs else g.conv(x, hidden, 1, 1, activation)
    y = g.conv(y, hidden, kernel, stride, activation, groups=hidden)
    if squeeze:
        gate = g.conv(g.global_pool(y), squeeze, 1, 1, "relu")
        y = g.scale(y, g.conv(gate, hidden, 1, 1, "hsigmoid"))
    y = g.conv(y, channels, 1)
    return g.add(x, y) if stride == 1 and inputs == channels else y


def mobilenet_v2(g: GraphBuilder) -> list[Value]:
    """MobileNetV2 1.0 (0.3 G multiply-adds)."""
    x = g.conv(g.input, 32, 3, 2, "relu6")
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1))
    for expand, channels, blocks, stride in (*stages, (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(blocks):
            step = stride if block == 0 else 1
            x = _bottleneck(g, x, expand * x.shape[1], channels, 3, step, "relu6")
    x = g.conv(x, 1280, 1, 1, "relu6")
    return [g.dense(g.flatten(g.global_pool(x)), 1000)]


def mobilenet_v3_small(g: GraphBuilder) -> list[Value]:
    """MobileNetV3-small 1.0 (57 M multiply-adds)."""
    x = g.conv(g.input, 16, 3, 2, "hswish")
    for kernel, hidden, channels, squeeze, activation, stride in (
        (3, 16, 16, 8, "relu", 2),
        (3, 72, 24, 0, "relu", 2),
        (3, 88, 24, 0, "relu", 1),
        (5, 96, 40, 24, "hswish", 2),
        (5, 240, 40, 64, "hswish", 1),
        (5, 240, 40, 64, "hswish", 1),
        (5, 120, 48, 32, "hswish", 1),
        (5, 144, 48, 40, "hswish", 1),
        (5, 288, 96, 72, "hswish", 2),
        (5, 576, 96, 144, "hswish", 1),
        (5, 576, 96, 144, "hswish", 1),
    ):
        x = _bottleneck(g, x, hidden, channels, kernel, stride, activation, squeeze)
    x = g.flatten(g.global_pool(g.conv(x, 576, 1, 1, "hswish")))
    return [g.dense(g.dense(x, 1024, "hswish"), 1000)]


def efficientnet_lite0(g: GraphBuilder) -> list[Value]:
    """EfficientNet-Lite0 (0.39 G multiply-adds)."""
    x = g.conv(g.input, 32, 3, 2, "relu6")
    stages = ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3))
    for expand, channels, blocks, stride, kernel in (
        *stages,
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ):
        for block in range(blocks):
            step = stride if block == 0 else 1
            x = _bottleneck(g, x, expand * x.shape[1], channels, kernel, step, "relu6")
    x = g.conv(x, 1280, 1, 1, "relu6")
    return [g.dense(g.flatten(g.global_pool(x)), 1000)]


def squeezenet(g: GraphBuilder) -> list[Value]:
    """SqueezeNet 1.1 (0.35 G multiply-adds)."""

    def fire(x: Value, squeeze: int, expand: int) -> Value:
        y = g.conv(x, squeeze, 1, 1, "relu")
        return g.concat([g.conv(y, expand, 1, 1, "relu"), g.conv(y, expand, 3, 1, "relu")])

    x = g.max_pool(g.conv(g.input, 64, 3, 2, "relu", pad=0), 3, 2)
    x = g.max_pool(fire(fire(x, 16, 64), 16, 64), 3, 2)
    x = g.max_pool(fire(fire(x, 32, 128), 32, 128), 3, 2)
    for squeeze in (48, 48, 64, 64):
        x = fire(x, squeeze, 4 * squeeze)
    return [g.flatten(g.global_pool(g.conv(x, 1000, 1, 1, "relu")))]


def vgg11(g: GraphBuilder) -> list[Value]:
    """VGG-11 (Simonyan and Zisserman 2014), its dense layers 1,024 wide (7.5 G multiply-adds)."""
    x = g.input
    for widths in ((64,), (128,), (256, 256), (512, 512), (512, 512)):
        for width in widths:
            x = g.conv(x, width, 3, 1, "relu")
        x = g.max_pool(x, 2, 2)
    x = g.dense(g.dense(g.flatten(x), 1024, "relu"), 1024, "relu")
    return [g.dense(x, 1000)]


def yolo_tiny(g: GraphBuilder) -> list[Value]:
    """Detector with CSP blocks, SiLU, and three heads (0.56 G multiply-adds)."""

    def conv(
        x: Value, channels: int, kernel: int, stride: int = 1, pad: int | None = None
    ) -> Value:
        return g.conv(x, channels, kernel, stride, "silu", pad=pad)

    def csp(x: Value, channels: int, blocks: int, *, shortcut: bool = True) -> Value:
        a, b = conv(x, channels // 2, 1), conv(x, channels // 2, 1)
        for _ in range(blocks):
            y = conv(conv(a, channels // 2, 1), channels // 2, 3)
            a = g.add(a, y) if shortcut else y
        return conv(g.concat([a, b]), channels, 1)

    x = csp(conv(conv(g.input, 16, 6, 2, pad=2), 32, 3, 2), 32, 1)
    fine = csp(conv(x, 64, 3, 2), 64, 2)
    middle = csp(conv(fine, 128, 3, 2), 128, 3)
    x = csp(conv(middle, 256, 3, 2), 256, 1)
    pyramid = [conv(x, 128, 1)]
    for _ in range(3):
        pyramid.append(g.max_pool(pyramid[-1], 5, 1, pad=2))
    top = conv(conv(g.concat(pyramid), 256, 1), 128, 1)
    side = conv(csp(g.concat([g.upsample(top), middle]), 128, 1, shortcut=False), 64, 1)
    out3 = csp(g.concat([g.upsample(side), fine]), 64, 1, shortcut=False)
    out4 = csp(g.concat([conv(out3, 64, 3, 2), side]), 128, 1, shortcut=False)
    out5 = csp(g.concat([conv(out4, 128, 3, 2), top]), 256, 1, shortcut=False)
    return [g.conv(out, 255, 1) for out in (out3, out4, out5)]


def relu16(g: GraphBuilder) -> list[Value]:
    """One ReLU of 16 floats: what a call costs."""
    return [g.activate(g.input, "relu")]


def chain100(g: GraphBuilder) -> list[Value]:
    """A hundred small nodes: what a node costs."""
    x = g.input
    for index in range(100):
        x = g.activate(x, "relu") if index % 2 else g.add(x, g.input)
    return [x]


#: Name: what builds it, and the shape of its input.
NETWORKS: dict[str, tuple[Callable[[GraphBuilder], list[Value]], tuple[int, ...]]] = {
    "mobilenet_v2": (mobilenet_v2, IMAGE),
    "mobilenet_v3_small": (mobilenet_v3_small, IMAGE),
    "efficientnet_lite0": (efficientnet_lite0, IMAGE),
    "resnet50": (resnet50, IMAGE),
    "squeezenet": (squeezenet, IMAGE),
    "yolo_tiny": (yolo_tiny, (1, 3, 320, 320)),
    "vgg11": (vgg11, IMAGE),
    "vit_tiny": (vit_tiny, IMAGE),
    "bert_tiny": (bert_tiny, (1, 128, 256)),
    "relu16": (relu16, (1, 16)),
    "chain100": (chain100, (1, 16)),
}


def write(folder: Path, name: str) -> Path:
    """Write one network unless it is there already."""
    target = folder / f"{name}.onnx"
    if not target.exists():
        build, shape = NETWORKS[name]
        graph = GraphBuilder(name, shape)
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(graph.model(build(graph)), target)
    return target


def main() -> None:
    """Write the networks named on the command line, or all."""
    folder, *names = sys.argv[1:]
    for name in names or NETWORKS:
        print(write(Path(folder), name))


if __name__ == "__main__":
    main()
