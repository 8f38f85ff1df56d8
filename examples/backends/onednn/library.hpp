/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * library.hpp - oneDNN 2.6 and 3.x behind one spelling. Nothing else of this backend asks for a
 * version: version 3 dropped operation descriptors and renamed what had a second form in 2.x.
 */
#ifndef ONEDNN_LIBRARY_HPP_
#define ONEDNN_LIBRARY_HPP_

#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

namespace onednn {

using Alg = dnnl::algorithm;
using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

constexpr auto kInference = dnnl::prop_kind::forward_inference;
constexpr auto kFloat = dnnl::memory::data_type::f32;

#if DNNL_VERSION_MAJOR >= 3
using Pooling = dnnl::pooling_forward;
using Softmax = dnnl::softmax_forward;
#else
using Pooling = dnnl::pooling_v2_forward; /* the form with dilation */
using Softmax = dnnl::softmax_v2_forward; /* the form with a destination */
#endif

/* The one engine of the process. It is never destroyed: what the library keeps in its cache of
 * primitives refers to it until the end. */
inline dnnl::engine& cpu_engine() {
  static auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

/* The description of a primitive of class |P|; throws dnnl::error if the library has none. */
template <typename P, typename... Arguments>
typename P::primitive_desc describe(const dnnl::primitive_attr& attributes,
                                    Arguments&&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return
      typename P::primitive_desc(cpu_engine(), std::forward<Arguments>(arguments)..., attributes);
#else
  return typename P::primitive_desc(typename P::desc(std::forward<Arguments>(arguments)...),
                                    attributes, cpu_engine());
#endif
}

inline dnnl::eltwise_forward::primitive_desc describe_eltwise(
    const dnnl::primitive_attr& attributes, Alg algorithm, const Desc& desc, float alpha,
    float beta) {
#if DNNL_VERSION_MAJOR >= 3
  return describe<dnnl::eltwise_forward>(attributes, kInference, algorithm, desc, desc, alpha,
                                         beta);
#else
  return describe<dnnl::eltwise_forward>(attributes, kInference, algorithm, desc, alpha, beta);
#endif
}

inline dnnl::concat::primitive_desc describe_concat(const dnnl::primitive_attr& attributes,
                                                    int axis, const std::vector<Desc>& sources) {
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), axis, sources, attributes};
#else
  return {axis, sources, cpu_engine(), attributes};
#endif
}

inline void append_eltwise(dnnl::post_ops& chain, Alg algorithm, float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  chain.append_eltwise(algorithm, alpha, beta);
#else
  chain.append_eltwise(1.0f, algorithm, alpha, beta);
#endif
}

}  // namespace onednn

#endif  // ONEDNN_LIBRARY_HPP_
