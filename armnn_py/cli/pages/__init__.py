# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page of ``armnn-py report``: its data, and the template that shows them."""
