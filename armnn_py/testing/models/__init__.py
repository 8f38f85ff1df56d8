# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A user's network in the kit: its layers as cases, and the network as a whole."""
