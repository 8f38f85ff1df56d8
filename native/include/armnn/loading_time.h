/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * loading_time.h - how long a backend may take to load, where a second is not enough.
 *
 * A host tries a file in another process before it opens it, and refuses one that takes longer than
 * its limit, which is 1 s from opening the file to the end of destroy. A backend that loads
 * firmware or starts a driver needs more:
 *
 *   ARMNN_LOADING_SECONDS(5)
 *
 * at the outermost level of one of its source files is a note in the file that hosts read without
 * running its code: the seconds, up to 60. A limit that the user states comes before it.
 */
#ifndef ARMNN_LOADING_TIME_H_
#define ARMNN_LOADING_TIME_H_

#include <stdint.h>

/* The type of the note. */
#define ARMNN_LOADING_NOTE 1u

/* States the limit; see above. */
#define ARMNN_LOADING_SECONDS(seconds)                                               \
  static const struct {                                                              \
    uint32_t name_size, size, type;                                                  \
    char name[8];                                                                    \
    uint32_t value;                                                                  \
  } armnn_loading_note __attribute__((used, aligned(4), section(".note.armnn"))) = { \
      6u, 4u, ARMNN_LOADING_NOTE, "armnn", (seconds)};

#endif /* ARMNN_LOADING_TIME_H_ */
