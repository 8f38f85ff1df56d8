/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cpu_count.c - how many processors this process may use: affinity mask and cgroup quotas.
 *
 * A quota is rounded down: with threads that spin between two layers, one thread too many makes
 * the kernel stop all of them for the rest of a period.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

#define PATH_SIZE 4096

/* ---- Affinity ------------------------------------------------------------------------------ */

static uint32_t affinity_cpu_count(void) {
  for (int cpus = 1024; cpus <= 1024 * 1024; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC((size_t)cpus);
    if (set == NULL) break;
    const size_t size = CPU_ALLOC_SIZE((size_t)cpus);
    CPU_ZERO_S(size, set);
    const bool known = sched_getaffinity(0, size, set) == 0; /* fails when the set is too small */
    const int count = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count > 0) return (uint32_t)count;
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (uint32_t)online : 1;
}

/* ---- Where the cgroup lies ----------------------------------------------------------------- */

typedef struct cgroup_place_t {
  char mount[PATH_SIZE]; /* folder of the hierarchy */
  char path[PATH_SIZE];  /* of our group, below |mount|; "" is the hierarchy's top */
} cgroup_place_t;

/* Is |word| an element of the comma-separated |list|? */
static bool list_has(const char* list, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = list; at != NULL;) {
    if (strncmp(at, word, length) == 0 &&
        (at[length] == ',' || at[length] == '\0' || at[length] == '\n')) {
      return true;
    }
    at = strchr(at, ',');
    if (at != NULL) ++at;
  }
  return false;
}

/* Our path in the hierarchy of version 2 or, of version 1, of the controller "cpu". */
static bool find_group(const char* root, bool unified, char* out_path) {
  char name[PATH_SIZE];
  snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
  FILE* file = fopen(name, "re");
  if (file == NULL) return false;
  bool found = false;
  char line[PATH_SIZE];
  while (!found && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char* controllers = strchr(line, ':'); /* 4:cpu,cpuacct:/path and 0::/path */
    char* path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (path == NULL) continue;
    *path++ = '\0';
    ++controllers;
    if (unified ? controllers[0] == '\0' : list_has(controllers, "cpu")) {
      snprintf(out_path, PATH_SIZE, "%s", strcmp(path, "/") == 0 ? "" : path);
      found = true;
    }
  }
  fclose(file);
  return found;
}

/* Turns \040 and the like, as mountinfo writes spaces, into the characters. */
static void unescape(char* text) {
  char* out = text;
  for (const char* in = text; *in != '\0';) {
    if (in[0] == '\\' && in[1] >= '0' && in[1] <= '3' && in[2] >= '0' && in[2] <= '7' &&
        in[3] >= '0' && in[3] <= '7') {
      *out++ = (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + (in[3] - '0'));
      in += 4;
    } else {
      *out++ = *in++;
    }
  }
  *out = '\0';
}

/* Finds the mount. A container's mount may show a sub-tree of the hierarchy and names it; our path
 * is then counted from there. */
static bool find_mount(const char* root, bool unified, cgroup_place_t* place) {
  char name[PATH_SIZE];
  snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
  FILE* file = fopen(name, "re");
  if (file == NULL) return false;
  bool found = false;
  char line[PATH_SIZE];
  while (!found && fgets(line, sizeof line, file) != NULL) {
    /* 30 23 0:26 /part /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate */
    char* tail = strstr(line, " - ");
    if (tail == NULL) continue;
    char part[PATH_SIZE], mount[PATH_SIZE], type[64], options[PATH_SIZE];
    if (sscanf(line, "%*s %*s %*s %4095s %4095s", part, mount) != 2) continue;
    if (sscanf(tail, " - %63s %*s %4095s", type, options) != 2) continue;
    if (strcmp(type, unified ? "cgroup2" : "cgroup") != 0) continue;
    if (!unified && !list_has(options, "cpu")) continue;
    unescape(part);
    unescape(mount);
    const size_t length = strlen(part);
    if (length > 1 && strncmp(place->path, part, length) == 0 &&
        (place->path[length] == '/' || place->path[length] == '\0')) {
      memmove(place->path, place->path + length, strlen(place->path + length) + 1);
    }
    found = snprintf(place->mount, PATH_SIZE, "%s%s", root, mount) < PATH_SIZE;
  }
  fclose(file);
  return found;
}

/* ---- Quotas -------------------------------------------------------------------------------- */

static bool read_line(const cgroup_place_t* place, const char* file_name, char* out_line,
                      int capacity) {
  char name[3 * PATH_SIZE];
  snprintf(name, sizeof name, "%s%s/%s", place->mount, place->path, file_name);
  FILE* file = fopen(name, "re");
  if (file == NULL) return false;
  const bool got = fgets(out_line, capacity, file) != NULL;
  fclose(file);
  return got;
}

static uint32_t whole_cpus(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return UINT32_MAX; /* "no limit" is -1 in version 1 */
  const long long cpus = quota / period;
  if (cpus >= UINT32_MAX) return UINT32_MAX;
  return cpus < 1 ? 1 : (uint32_t)cpus;
}

static uint32_t quota_of_group(const cgroup_place_t* place, bool unified) {
  char line[128];
  long long quota = -1, period = 100000;
  if (unified) { /* "150000 100000" or "max 100000" */
    if (!read_line(place, "cpu.max", line, sizeof line)) return UINT32_MAX;
    if (sscanf(line, "%lld %lld", &quota, &period) < 1) return UINT32_MAX;
  } else {
    if (!read_line(place, "cpu.cfs_quota_us", line, sizeof line)) return UINT32_MAX;
    if (sscanf(line, "%lld", &quota) != 1) return UINT32_MAX;
    if (!read_line(place, "cpu.cfs_period_us", line, sizeof line)) return UINT32_MAX;
    if (sscanf(line, "%lld", &period) != 1) return UINT32_MAX;
  }
  return whole_cpus(quota, period);
}

static uint32_t quota_of_hierarchy(const char* root, bool unified) {
  cgroup_place_t* place = (cgroup_place_t*)calloc(1, sizeof *place);
  if (place == NULL) return UINT32_MAX;
  uint32_t limit = UINT32_MAX;
  if (find_group(root, unified, place->path) && find_mount(root, unified, place)) {
    for (;;) { /* the groups above bind us, too */
      const uint32_t here = quota_of_group(place, unified);
      if (here < limit) limit = here;
      char* slash = strrchr(place->path, '/');
      if (slash == NULL) break;
      *slash = '\0';
    }
  }
  free(place);
  return limit;
}

uint32_t armnn_i_cgroup_cpu_limit(const char* root) {
  const uint32_t unified = quota_of_hierarchy(root, true);
  const uint32_t version_1 = quota_of_hierarchy(root, false);
  return unified < version_1 ? unified : version_1;
}

uint32_t armnn_i_usable_cpus(void) {
  const uint32_t affinity = affinity_cpu_count();
  const uint32_t quota = armnn_i_cgroup_cpu_limit("");
  return affinity < quota ? affinity : quota;
}
