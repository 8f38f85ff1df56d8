# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks with dynamic shapes that have upper bounds: their plan, and the sizes of a run."""
