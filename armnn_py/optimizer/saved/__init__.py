# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Optimised networks as files: written by `OptimizedNetwork.save`, read by `OptimizedNetwork.load`.

A file is a zip archive whose members are stored as they are, at multiples of 4096 bytes:

- ``mimetype``, first, the text ``application/x-armnn-py-network``, by which a file is recognised;
- ``network.json``: layers, backends and everything else that a load needs except arrays;
- ``reports.json``: what became of each layer, and what passes changed, for who asks;
- ``sources/N.json``: the layers of compiled sub-graphs, for who compiles them anew;
- ``constants.safetensors``: the values of constants, each at a multiple of 64 bytes;
- ``blobs/N.bin``: what backends wrote of compiled sub-graphs.

Nothing in a file is ever executed, unpacked or taken for the name of a file.
"""
