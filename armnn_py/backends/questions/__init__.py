# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Questions to a backend about layers, and examples of layers to ask with."""
