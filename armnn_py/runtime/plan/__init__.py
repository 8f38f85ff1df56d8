# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plans: the steps of a network for one set of shapes, their tensors and workloads.

Runs belong to `contexts`, arrays of callers to `arrays`.
"""
