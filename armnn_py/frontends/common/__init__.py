# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The toolbox of all importers: values, building blocks of networks, and arithmetic of shapes.

Nothing in it knows a model format.
"""
