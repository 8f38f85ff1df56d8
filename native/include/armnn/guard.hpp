/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * guard.hpp - optional help for authors in C++17: no exception leaves a backend.
 *
 * Every function of the tables is noexcept, so that an exception that leaves one ends the process.
 * guard() calls a function and makes a status of what it throws:
 *
 *   static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
 *                                armnn_error_t* error) noexcept {
 *     return armnn::guard(error, [&] {
 *       *out_backend = make_backend(args->host); // may throw
 *       return armnn_status_t{ARMNN_STATUS_OK};
 *     });
 *   }
 *
 * guarded<f> is f, a function that returns a status, as one that does not throw:
 *
 *   static armnn_status_t add_f32(const armnn_kernel_call_t* call, armnn_error_t*) {
 *     if (ARMNN_COUNT(call) > 1000) throw std::length_error("1000 elements at most");
 *     return ARMNN_STATUS_OK;
 *   }
 *   static const armnn_kernel_t kernels[] = {
 *       ARMNN_KERNEL_BINARY(ADD, FLOAT32, armnn::guarded<add_f32>)};
 *
 * std::bad_alloc becomes OUT_OF_MEMORY, any other exception INTERNAL, with what() as the text.
 */
#ifndef ARMNN_GUARD_HPP_
#define ARMNN_GUARD_HPP_

#include <exception>
#include <new>
#include <type_traits>

#include "armnn/backend_kit.h"

namespace armnn {

/* function(), with exceptions as statuses. |error| may be null: the text is lost then. */
template <typename Function>
armnn_status_t guard(armnn_error_t* error, Function&& function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& failure) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "%s", failure.what());
  } catch (...) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "an exception that is not a std::exception");
  }
}

namespace detail {

/* The last argument, if that is where a function of the interface writes its error. */
template <typename First, typename... Rest>
armnn_error_t* error_among(First first, Rest... rest) noexcept {
  if constexpr (sizeof...(rest) > 0) {
    return error_among(rest...);
  } else if constexpr (std::is_same_v<First, armnn_error_t*>) {
    return first;
  } else {
    (void)first;
    return nullptr;
  }
}

template <auto function>
struct Guarded;

template <typename... Arguments, armnn_status_t (*function)(Arguments...)>
struct Guarded<function> {
  static armnn_status_t call(Arguments... arguments) noexcept {
    return guard(error_among(arguments...), [&] { return function(arguments...); });
  }
};

}  // namespace detail

/* For kernels, their supports, prepare and state, bodies of armnn_parallel_for (which have no
 * error: only the status is left), hooks, and functions of the tables. */
template <auto function>
inline constexpr auto guarded = &detail::Guarded<function>::call;

}  // namespace armnn

#endif  // ARMNN_GUARD_HPP_
