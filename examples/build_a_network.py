# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
import numpy as np

import armnn_py as ann

network = ann.Network("edge_detector")
image = network.add_input("image", ann.TensorInfo((1, 64, 64, 1)))
kernel = np.array([[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]], np.float32).reshape(1, 3, 3, 1)
edges = network.add_convolution2d(image, kernel, padding="same", name="laplace")
edges = network.add_activation(edges, ann.ActivationFunction.RELU, name="positive")
network.add_output("edges", edges)
print(network)

with ann.Runtime() as runtime:
    optimized = ann.optimize(network, backends=["CpuRef"], runtime=runtime)
    print(optimized.assignment)
    with runtime.load_network(optimized) as loaded:
        square = np.zeros((1, 64, 64, 1), np.float32)
        square[:, 16:48, 16:48] = 1
        result = loaded.run({"image": square})["edges"]
        print("pixels on an edge:", int((result > 0).sum()))
