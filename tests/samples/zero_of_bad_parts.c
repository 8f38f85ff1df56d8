/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Sample_Zero with a factory that makes no tensors inside others, or makes them badly. One of:
 * NO_TRAIT, SUB_UNSUPPORTED, SUB_FAILS, SUB_ONLY_ONCE, NO_PARENT, DECORATE_UNSUPPORTED,
 * DECORATE_FAILS.
 */
#define zero_register_factories register_real_factories
#include "handle_factory.c"
#undef zero_register_factories

static armnn_tensor_handle_factory_api_t odd_factory;
static armnn_tensor_handle_api_t odd_handle;
static const armnn_tensor_handle_api_t* real_handle;

static armnn_status_t make_handle(armnn_tensor_handle_factory_t* factory,
                                  const armnn_tensor_info_t* info, uint32_t managed,
                                  armnn_tensor_handle_t** out_handle, armnn_error_t* error) {
  armnn_status_t status = create_tensor_handle(factory, info, managed, out_handle, error);
  if (status == ARMNN_STATUS_OK) (*out_handle)->api = &odd_handle;
  return status;
}

static armnn_status_t make_part(armnn_tensor_handle_factory_t* factory,
                                armnn_tensor_handle_t* parent, const armnn_tensor_info_t* info,
                                const uint64_t* origin, armnn_tensor_handle_t** out_handle,
                                armnn_error_t* error) {
  static int parts;
  *out_handle = NULL;
  ++parts;
#if defined(SUB_UNSUPPORTED)
  (void)factory, (void)parent, (void)info, (void)origin;
  return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED, "no parts here");
#elif defined(SUB_FAILS)
  (void)factory, (void)parent, (void)info, (void)origin;
  return armnn_fail(error, ARMNN_STATUS_INTERNAL, "the parts are broken");
#elif defined(SUB_ONLY_ONCE)
  if (parts > 2) return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED, "no parts any more");
#endif
  armnn_status_t status =
      create_sub_tensor_handle(factory, parent, info, origin, out_handle, error);
  if (status == ARMNN_STATUS_OK) (*out_handle)->api = &odd_handle;
  return status;
}

static armnn_tensor_handle_t* no_parent(armnn_tensor_handle_t* handle) {
  (void)handle;
  return NULL;
}

static armnn_status_t decorate(armnn_tensor_handle_t* handle, const armnn_tensor_info_t* info,
                               armnn_tensor_handle_t** out_handle, armnn_error_t* error) {
#if defined(DECORATE_UNSUPPORTED)
  (void)handle, (void)info;
  *out_handle = NULL;
  return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED, "no other shapes here");
#elif defined(DECORATE_FAILS)
  (void)handle, (void)info;
  *out_handle = NULL;
  return armnn_fail(error, ARMNN_STATUS_INTERNAL, "the shapes are broken");
#else
  armnn_status_t status = real_handle->decorate(handle, info, out_handle, error);
  if (status == ARMNN_STATUS_OK) (*out_handle)->api = &odd_handle;
  return status;
#endif
}

static uint64_t odd_traits(armnn_tensor_handle_factory_t* factory) {
#if defined(NO_TRAIT)
  return get_traits(factory) & ~ARMNN_FACTORY_SUPPORTS_SUB_TENSORS;
#else
  return get_traits(factory);
#endif
}

/* The host's registry; factories get the odd table on their way into it. */
static const armnn_tensor_handle_factory_registry_t* hosts;

static armnn_status_t take_factory(void* context, armnn_tensor_handle_factory_t* factory) {
  factory->api = &odd_factory;
  return hosts->register_factory(context, factory);
}

armnn_status_t zero_register_factories(armnn_backend_t* backend,
                                       armnn_tensor_handle_factory_registry_t* registry,
                                       uint32_t input_sources, uint32_t output_sources,
                                       armnn_error_t* error) {
  const armnn_tensor_info_t scalar = {
      .header = {sizeof(armnn_tensor_info_t), ARMNN_STRUCT_TENSOR_INFO},
      .data_type = ARMNN_DATA_TYPE_FLOAT32,
      .element_count = 1,
  };
  zero_handle_t* model = zero_handle_create((zero_backend_t*)backend, &scalar);
  if (model == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  real_handle = model->base.api;
  odd_handle = *real_handle;
  odd_handle.decorate = decorate;
#if defined(NO_PARENT)
  odd_handle.get_parent = no_parent;
#else
  (void)no_parent;
#endif
  real_handle->destroy(&model->base);
  odd_factory = factory_api;
  odd_factory.create_tensor_handle = make_handle;
  odd_factory.create_sub_tensor_handle = make_part;
  odd_factory.get_traits = odd_traits;
  armnn_tensor_handle_factory_registry_t between = *registry;
  between.register_factory = take_factory;
  hosts = registry;
  return register_real_factories(backend, &between, input_sources, output_sources, error);
}
