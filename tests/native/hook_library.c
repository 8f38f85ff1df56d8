/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * hook_library.c - a library with a hook; built twice, so that one can take the other's place.
 */
__attribute__((visibility("default"))) void hook(void* argument);
void hook(void* argument) { ++*(volatile int*)argument; }
