/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_services.c - memory, processors, lost devices, the host's table.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, mkdtemp */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "armnn/lasting_constants.h"
#include "core.h"
#include "harness.h"

static armnn_string_t text_of(const char* text) { return (armnn_string_t){text, strlen(text)}; }

/* ---- Memory -------------------------------------------------------------------------------- */

static void memory_is_aligned(void) {
  const armnn_host_t* host = armnn_core_host();
  for (uint64_t alignment = 1; alignment <= 65536; alignment *= 2) {
    for (uint64_t size = 0; size < 300; size += 37) {
      void* memory = host->allocate(host->context, size, alignment);
      CHECK(memory != NULL && (uintptr_t)memory % alignment == 0);
      memset(memory, 1, (size_t)size);
      host->release(host->context, memory);
    }
  }
  CHECK(host->allocate(host->context, 8, 0) == NULL);
  CHECK(host->allocate(host->context, 8, 24) == NULL);
  CHECK(host->allocate(host->context, UINT64_MAX, 64) == NULL);
  CHECK(armnn_core_alloc(8, 8192) == NULL);
  void* memory = armnn_core_alloc(100, 0);
  CHECK(memory != NULL && (uintptr_t)memory % 64 == 0);
  armnn_core_free(memory);
  armnn_core_free(NULL);
}

static void unreadable_memory_is_known_without_a_signal(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(armnn_core_is_readable(pages, 3 * page), 1);
  CHECK_EQUAL(munmap(pages + page, page), 0);
  CHECK_EQUAL(mprotect(pages + 2 * page, page, PROT_NONE), 0);
  CHECK_EQUAL(armnn_core_is_readable(pages, page), 1);
  CHECK_EQUAL(armnn_core_is_readable(pages + page - 1, 1), 1);
  CHECK_EQUAL(armnn_core_is_readable(pages + page - 1, 2), 0);
  CHECK_EQUAL(armnn_core_is_readable(pages, page + 1), 0);
  CHECK_EQUAL(armnn_core_is_readable(pages + page, 1), 0);
  CHECK_EQUAL(armnn_core_is_readable(pages + 2 * page + 5, 1), 0);
  CHECK_EQUAL(mprotect(pages, page, PROT_READ), 0);
  CHECK_EQUAL(armnn_core_is_readable(pages + 3, 64), 1);
  CHECK_EQUAL(armnn_core_is_readable(NULL, 1), 0);
  CHECK_EQUAL(armnn_core_is_readable(NULL, 0), 0);
  CHECK_EQUAL(armnn_core_is_readable((const void*)8, 8), 0);
  CHECK_EQUAL(armnn_core_is_readable(pages, UINT64_MAX), 0);
  CHECK_EQUAL(armnn_core_is_readable((const void*)UINTPTR_MAX, 1), 0);
  CHECK_EQUAL(armnn_core_is_readable((const void*)(UINTPTR_MAX / 3 * 2), 16), 0);
  CHECK_EQUAL(munmap(pages, page), 0);
  CHECK_EQUAL(munmap(pages + 2 * page, page), 0);
}

/* More pages than the kernel is asked about at once; the last of them is gone. */
static void many_pages_are_readable(void) {
  enum { COUNT = 70 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, COUNT * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(munmap(pages + (COUNT - 1) * page, page), 0);
  for (size_t count = 1; count < COUNT; ++count) {
    CHECK_EQUAL(armnn_core_is_readable(pages + 7, count * page - 7), 1);
  }
  for (size_t first = 0; first < COUNT; ++first) {
    CHECK_EQUAL(armnn_core_is_readable(pages + first * page, (COUNT - first) * page), 0);
  }
  CHECK_EQUAL(munmap(pages, (COUNT - 1) * page), 0);
}

/* Where the kernel's own page with the time is, in none of its counted pages; 0: not told. */
static uintptr_t page_of_the_kernel(void) {
  FILE* file = fopen("/proc/self/maps", "r");
  char line[512];
  uintptr_t found = 0;
  while (file != NULL && found == 0 && fgets(line, sizeof line, file) != NULL) {
    if (strstr(line, "[vvar]") != NULL) found = (uintptr_t)strtoull(line, NULL, 16);
  }
  if (file != NULL) fclose(file);
  return found;
}

static void memory_of_devices_is_readable(void) {
  const uintptr_t address = page_of_the_kernel();
  if (address == 0) return;
  volatile char byte = *(volatile char*)address;
  (void)byte;
  CHECK_EQUAL(armnn_core_is_readable((const void*)address, 16), 1);
}

static void code_is_told_from_data(void) {
  static int data;
  char local;
  double (*volatile cosine)(double) = cos;
  CHECK_EQUAL(armnn_core_is_code((const void*)(uintptr_t)text_of), 1);
  CHECK_EQUAL(armnn_core_is_code((const void*)(uintptr_t)cosine), 1); /* of another object */
  CHECK_EQUAL(armnn_core_is_code(&data), 0);
  CHECK_EQUAL(armnn_core_is_code(&local), 0);
  CHECK_EQUAL(armnn_core_is_code(NULL), 0);
  CHECK_EQUAL(armnn_core_is_code((const void*)UINTPTR_MAX), 0);
}

/* ---- Processors ---------------------------------------------------------------------------- */

static char folder[64];

static void write_file(const char* path, const char* text) {
  char name[512];
  snprintf(name, sizeof name, "%s%s", folder, path);
  for (char* slash = strchr(name + strlen(folder) + 1, '/'); slash != NULL;
       slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    CHECK(mkdir(name, 0755) == 0 || errno == EEXIST);
    *slash = '/';
  }
  FILE* file = fopen(name, "w");
  CHECK(file != NULL);
  fputs(text, file);
  fclose(file);
}

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK_EQUAL(system(command), 0);
}

static void new_folder(void) {
  strcpy(folder, "/tmp/armnn_cgroup_XXXXXX");
  CHECK(mkdtemp(folder) != NULL);
}

static void quotas_of_version_2(void) {
  new_folder();
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), UINT32_MAX); /* no /proc at all */
  write_file("/proc/self/cgroup", "1:name=systemd:/\n0::/jobs/mine\n");
  write_file("/proc/self/mountinfo",
             "22 1 0:5 / /proc rw - proc proc rw\n"
             "30 23 0:26 / /sys/fs/cgroup\\040two rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), UINT32_MAX);
  write_file("/sys/fs/cgroup two/jobs/mine/cpu.max", "max 100000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), UINT32_MAX);
  write_file("/sys/fs/cgroup two/jobs/mine/cpu.max", "350000 100000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 3); /* 3.5 */
  write_file("/sys/fs/cgroup two/jobs/cpu.max", "400000 200000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 2); /* the group above */
  write_file("/sys/fs/cgroup two/cpu.max", "50000 100000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 1); /* never less */
  write_file("/sys/fs/cgroup two/cpu.max", "nonsense\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 2);
  remove_folder();
}

static void quotas_of_version_1(void) {
  new_folder();
  write_file("/proc/self/cgroup",
             "5:cpuset:/else\n4:cpu,cpuacct:/docker/abc/inner\n0::/docker/abc/inner\n");
  write_file("/proc/self/mountinfo",
             "30 23 0:26 /docker/abc /sys/cpuset rw - cgroup cgroup rw,cpuset\n"
             "31 23 0:27 /docker/abc /sys/cpu rw - cgroup cgroup rw,cpuacct,cpu\n");
  write_file("/sys/cpuset/inner/cpu.cfs_quota_us", "100000\n"); /* not ours to read */
  write_file("/sys/cpu/inner/cpu.cfs_quota_us", "-1\n");
  write_file("/sys/cpu/inner/cpu.cfs_period_us", "100000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), UINT32_MAX);
  write_file("/sys/cpu/inner/cpu.cfs_quota_us", "500000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 5); /* below what the mount shows */
  write_file("/sys/cpu/cpu.cfs_quota_us", "250000\n");
  write_file("/sys/cpu/cpu.cfs_period_us", "50000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 5);
  write_file("/sys/cpu/cpu.cfs_period_us", "100000\n");
  CHECK_EQUAL(armnn_i_cgroup_cpu_limit(folder), 2);
  remove_folder();
}

static void usable_cpus_are_at_most_those_online(void) {
  const uint32_t usable = armnn_core_usable_cpus();
  CHECK(usable >= 1 && usable <= (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
}

static void cpu_features_agree_with_the_compiler(void) {
  const armnn_host_t* host = armnn_core_host();
  const uint64_t features = host->cpu_features(host->context);
  CHECK(features == host->cpu_features(host->context));
#if defined(__x86_64__)
  __builtin_cpu_init();
#define AGREE(name, bit) CHECK_EQUAL(__builtin_cpu_supports(name) != 0, (features & (bit)) != 0)
  AGREE("sse4.2", ARMNN_CPU_X86_SSE42);
  AGREE("avx", ARMNN_CPU_X86_AVX);
  AGREE("avx2", ARMNN_CPU_X86_AVX2);
  AGREE("fma", ARMNN_CPU_X86_FMA);
  AGREE("avx512f", ARMNN_CPU_X86_AVX512F);
  AGREE("avx512bw", ARMNN_CPU_X86_AVX512BW);
  AGREE("avx512vl", ARMNN_CPU_X86_AVX512VL);
  AGREE("avx512dq", ARMNN_CPU_X86_AVX512DQ);
  AGREE("avx512vnni", ARMNN_CPU_X86_AVX512VNNI);
#if !defined(__clang__) && __GNUC__ >= 12
  AGREE("avxvnni", ARMNN_CPU_X86_AVXVNNI);
  /* The kernel may refuse tiles that the processor has. */
  CHECK((features & ARMNN_CPU_X86_AMX_INT8) == 0 || __builtin_cpu_supports("amx-int8"));
#endif
#undef AGREE
#elif defined(__aarch64__)
  CHECK((features & ARMNN_CPU_ARM_NEON) != 0);
#endif
}

/* ---- Lost devices and the table ------------------------------------------------------------ */

static const char* own_id(armnn_backend_t* backend) {
  (void)backend;
  return "Npu";
}

static void lost_devices_are_remembered(void) {
  const armnn_host_t* host = armnn_core_host();
  armnn_backend_t backends[ARMNN_LOST_DEVICES + 1] = {{NULL}};
  armnn_log_record_t record;
  char why[64];
  CHECK_EQUAL(armnn_core_device_lost(&backends[0], why, sizeof why), 0);
  CHECK_EQUAL(armnn_core_device_lost(NULL, why, sizeof why), 0);
  host->device_lost(host->context, &backends[0], text_of("it fell off the bus"));
  CHECK_EQUAL(armnn_core_log_next(&record), 1);
  CHECK_EQUAL(record.level, ARMNN_LOG_ERROR);
  CHECK_TEXT(record.text, "a device is lost: it fell off the bus");
  const armnn_backend_api_t api = {.header = {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},
                                   .get_id = own_id};
  backends[0].api = &api;
  host->device_lost(host->context, &backends[0], text_of("again"));
  CHECK_EQUAL(armnn_core_log_next(&record), 1);
  CHECK_TEXT(record.text, "a device of backend 'Npu' is lost: again");
  CHECK_EQUAL(armnn_core_device_lost(&backends[0], why, sizeof why), 1);
  CHECK(strcmp(why, "it fell off the bus") == 0);
  for (uint32_t i = 1; i <= ARMNN_LOST_DEVICES; ++i) { /* one more than there is room for */
    host->device_lost(host->context, &backends[i], (armnn_string_t){NULL, 0});
  }
  CHECK_EQUAL(armnn_core_device_lost(&backends[5], NULL, 0), 1);
  CHECK_EQUAL(armnn_core_device_lost(&backends[ARMNN_LOST_DEVICES], NULL, 0), 0);
  for (uint32_t i = 0; i < ARMNN_LOST_DEVICES; ++i) armnn_core_forget_device(&backends[i]);
  CHECK_EQUAL(armnn_core_device_lost(&backends[0], why, sizeof why), 0);
  armnn_core_forget_device(NULL);
  while (armnn_core_log_next(&record)) {
  }
}

static armnn_status_t ask_in_parallel(void* argument, uint64_t begin, uint64_t end,
                                      uint32_t thread_index) {
  const armnn_host_t* host = (const armnn_host_t*)argument;
  (void)begin, (void)end, (void)thread_index;
  return host->in_parallel(host->context) == 1 ? ARMNN_STATUS_OK : ARMNN_STATUS_INTERNAL;
}

static void bodies_are_in_parallel(void) {
  const armnn_host_t* host = armnn_core_host();
  for (uint64_t count = 1; count <= 64; count *= 8) { /* on the caller alone, and on threads */
    CHECK_EQUAL(host->in_parallel(host->context), 0);
    CHECK_EQUAL(
        host->parallel_for(host->context, ask_in_parallel, (void*)(uintptr_t)host, count, 1, 0),
        ARMNN_STATUS_OK);
  }
  CHECK_EQUAL(host->in_parallel(host->context), 0);
}

static void the_table_is_complete(void) {
  const armnn_host_t* host = armnn_core_host();
  CHECK_EQUAL(host->header.struct_size, sizeof *host);
  CHECK_EQUAL(host->header.struct_type, ARMNN_STRUCT_HOST);
  CHECK_EQUAL(host->api_major, ARMNN_BACKEND_API_MAJOR);
  CHECK_EQUAL(host->api_minor, ARMNN_BACKEND_API_MINOR);
  const void* const* entries = (const void* const*)(const void*)&host->log_enabled;
  const size_t count = (sizeof *host - offsetof(armnn_host_t, log_enabled)) / sizeof(void*);
  CHECK_EQUAL(count, 14);
  for (size_t i = 0; i < count; ++i) CHECK(entries[i] != NULL);
  CHECK(host->extension(host->context, "armnn.nothing/1") == NULL);
  const uint64_t before = host->now_ns(host->context);
  CHECK(host->now_ns(host->context) >= before);
  CHECK(armnn_i_coarse_now_ns() <= host->now_ns(host->context));
  CHECK_EQUAL(armnn_core_abi_version(), ARMNN_CORE_ABI_VERSION);
  CHECK(strcmp(armnn_core_version(), EXPECTED_VERSION) == 0);
  CHECK(strcmp(armnn_core_dynamic_backend_paths(), EXPECTED_PATHS) == 0);
  CHECK(armnn_core_static_backend(armnn_core_static_backend_count()) == NULL);
  CHECK(armnn_core_static_backend(UINT32_MAX) == NULL);
}

/* ---- Memory that was given ----------------------------------------------------------------- */

static void pages_of_large_blocks_count_once_written(void) {
  const uint64_t large = UINT64_C(8) << 20, before = armnn_core_allocated_bytes();
  char* small = armnn_core_alloc(1000, 64);
  const uint64_t with_small = armnn_core_allocated_bytes();
  CHECK(with_small >= before + 1000);
  CHECK(with_small < before + 5000);
  char* block = armnn_core_alloc(large, 64);
  CHECK(block != NULL);
  CHECK(armnn_core_allocated_bytes() < with_small + large / 2);
  memset(block, 1, (size_t)large);
  CHECK_EQUAL(armnn_core_allocated_bytes(), with_small + large);
  armnn_core_free(block);
  armnn_core_free(small);
  CHECK_EQUAL(armnn_core_allocated_bytes(), before);
}

/* ---- Constants that last ------------------------------------------------------------------- */

static void a_number_stands_for_one_constant(void) {
  static const char bytes[64];
  const armnn_host_t* host = armnn_core_host();
  const armnn_lasting_constants_t* lasting =
      host->extension(host->context, ARMNN_LASTING_CONSTANTS);
  CHECK(lasting != NULL);
#define NUMBER_OF(data, size) lasting->number_of(lasting->context, data, size)
  CHECK_EQUAL(NUMBER_OF(bytes, 64), 0);
  CHECK_EQUAL(armnn_core_add_lasting_constant(bytes, 64), 1);
  const uint64_t first = NUMBER_OF(bytes, 64);
  CHECK(first != 0);
  CHECK_EQUAL(NUMBER_OF(bytes, 63), 0);
  CHECK_EQUAL(NUMBER_OF(bytes + 1, 63), 0);
  /* Of another size it is another constant. */
  CHECK_EQUAL(armnn_core_add_lasting_constant(bytes, 32), 1);
  CHECK(NUMBER_OF(bytes, 32) != 0);
  CHECK(NUMBER_OF(bytes, 32) != first);
  CHECK_EQUAL(NUMBER_OF(bytes, 64), first);
  /* It stays until it was removed as often as it was added. */
  CHECK_EQUAL(armnn_core_add_lasting_constant(bytes, 64), 1);
  CHECK_EQUAL(NUMBER_OF(bytes, 64), first);
  armnn_core_remove_lasting_constant(bytes, 64);
  CHECK_EQUAL(NUMBER_OF(bytes, 64), first);
  armnn_core_remove_lasting_constant(bytes, 64);
  CHECK_EQUAL(NUMBER_OF(bytes, 64), 0);
  /* What comes to its address is another one. */
  CHECK_EQUAL(armnn_core_add_lasting_constant(bytes, 64), 1);
  CHECK(NUMBER_OF(bytes, 64) != 0);
  CHECK(NUMBER_OF(bytes, 64) != first);
  armnn_core_remove_lasting_constant(bytes, 64);
  armnn_core_remove_lasting_constant(bytes, 32);
  armnn_core_remove_lasting_constant(bytes, 32); /* once too often */
  CHECK_EQUAL(NUMBER_OF(bytes, 32), 0);
}

static void many_constants_last(void) {
  static const char bytes[5000];
  const armnn_host_t* host = armnn_core_host();
  const armnn_lasting_constants_t* lasting =
      host->extension(host->context, ARMNN_LASTING_CONSTANTS);
  for (uint64_t i = 0; i < sizeof bytes; ++i) {
    CHECK_EQUAL(armnn_core_add_lasting_constant(bytes + i, 1), 1);
  }
  for (uint64_t i = 1; i < sizeof bytes; ++i) {
    CHECK_EQUAL(NUMBER_OF(bytes + i, 1), NUMBER_OF(bytes, 1) + i);
  }
  for (uint64_t i = 0; i < sizeof bytes; ++i) armnn_core_remove_lasting_constant(bytes + i, 1);
  for (uint64_t i = 0; i < sizeof bytes; ++i) CHECK_EQUAL(NUMBER_OF(bytes + i, 1), 0);
#undef NUMBER_OF
}

static const test_t tests[] = {
    TEST(memory_is_aligned),
    TEST(unreadable_memory_is_known_without_a_signal),
    TEST(many_pages_are_readable),
    TEST(memory_of_devices_is_readable),
    TEST(code_is_told_from_data),
    TEST(quotas_of_version_2),
    TEST(quotas_of_version_1),
    TEST(usable_cpus_are_at_most_those_online),
    TEST(cpu_features_agree_with_the_compiler),
    TEST(lost_devices_are_remembered),
    TEST(the_table_is_complete),
    TEST(bodies_are_in_parallel),
    TEST(pages_of_large_blocks_count_once_written),
    TEST(a_number_stands_for_one_constant),
    TEST(many_constants_last),
};
MAIN(tests)
