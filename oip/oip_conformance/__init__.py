# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Checks of a server against the Open Inference Protocol v2: ``pytest --oip URL``.

``plugin`` holds the options, ``client`` the two transports, ``tensors`` the encodings, ``models``
the models with known answers, ``reference`` a small server, and ``checks`` the checks themselves.
"""
