# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The command line ``armnn-py``; also ``python -m armnn_py``."""
