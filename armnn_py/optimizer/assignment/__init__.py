# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend of each node: candidates, questions to backends, and their refusals."""
