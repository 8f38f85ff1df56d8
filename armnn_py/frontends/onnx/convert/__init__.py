# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a model as read to a network: scopes, nodes, the table of operators, and their errors."""
