# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files as inputs of a network: arrays, numbers, pictures, and labels of its outputs."""
