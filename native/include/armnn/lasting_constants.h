/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lasting_constants.h - an extension of the host: constants that stay from call to call.
 *
 * Values of constants are promised for the call that shows them. A network is planned again for
 * each set of its shapes, though, and its constants come again: at the same addresses, if the host
 * keeps them. Whether they are the same, and not others at an address that was freed in between,
 * only the host knows. Here it says so, so that a backend finds again what it made of them.
 *
 *   const armnn_lasting_constants_t* lasting =
 *       host->extension(host->context, ARMNN_LASTING_CONSTANTS);
 *
 * is null where the host knows nothing of the kind.
 */
#ifndef ARMNN_LASTING_CONSTANTS_H_
#define ARMNN_LASTING_CONSTANTS_H_

#include "armnn/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of the extension; another structure would have another number behind it. */
#define ARMNN_LASTING_CONSTANTS "armnn.lasting_constants/1"

/* Lives as long as the process. */
typedef struct armnn_lasting_constants_t {
  void* context;
  /* The number of the |size| bytes at |data|, a constant that the calling function was shown; 0: it
   * has none. A number stands for the same bytes as long as the process lives, whenever and
   * wherever it is given again: it is never given to others. [any] */
  uint64_t (*number_of)(void* context, const void* data, uint64_t size) ARMNN_NOEXCEPT;
} armnn_lasting_constants_t;

#ifdef __cplusplus
}
#endif

#endif /* ARMNN_LASTING_CONSTANTS_H_ */
