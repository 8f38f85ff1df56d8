from pathlib import Path

import numpy as np

import armnn_py as ann

folder = Path(ann.__file__).parent / "demo"
picture = np.load(folder / "digits_held_out.npz")["images"][0]

with ann.load(folder / "digits.onnx") as network:
    print(network.inputs)
    outputs = network.run({"image": picture[None, None].astype(np.float32)})
    print("digit", outputs["probabilities"].argmax())
    print(network.assignment.summary())
