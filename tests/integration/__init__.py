# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
