# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reports of an optimised network: layers, refusals, memory, and the page of HTML."""
