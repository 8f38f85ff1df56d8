/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * probe.h - armnn_probe: takes one backend file through loading in a process of its own.
 *
 * Two processes: the child (stages.c) runs the vendor's code, the parent (supervise.c) runs none of
 * it. They share |probe_shared_t|; the parent believes nothing that stands there but copies it into
 * its report.
 */
#ifndef ARMNN_PROBE_H_
#define ARMNN_PROBE_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The stages in their order. A stage is entered before its code runs. */
#define PROBE_STAGES(STAGE) \
  STAGE(start)              \
  STAGE(open)               \
  STAGE(symbols)            \
  STAGE(id)                 \
  STAGE(version)            \
  STAGE(table)              \
  STAGE(options)            \
  STAGE(create)             \
  STAGE(context)            \
  STAGE(devices)            \
  STAGE(support)            \
  STAGE(quiesce)            \
  STAGE(destroy)            \
  STAGE(close)              \
  STAGE(exit)

typedef enum probe_stage_t {
#define PROBE_STAGE(name) PROBE_STAGE_##name,
  PROBE_STAGES(PROBE_STAGE)
#undef PROBE_STAGE
      PROBE_STAGE_COUNT
} probe_stage_t;

const char* probe_stage_name(uint32_t stage);

#define PROBE_FACTS_SIZE (1u << 16)

/* Written by the child, read by its parent. */
typedef struct probe_shared_t {
  _Atomic uint32_t stage;                         /* the last one entered */
  _Atomic uint64_t entered_ns[PROBE_STAGE_COUNT]; /* monotonic clock, 0: never */
  _Atomic uint64_t done;                          /* the nonce, once every stage is behind */
  /* Stages in which it happened first; 0 (start): never. */
  _Atomic uint32_t forked;   /* a copy of the process came back from the vendor's code */
  _Atomic uint32_t children; /* a copy of the process is there, and has not come back */
  _Atomic uint32_t closed;   /* a descriptor was closed or replaced that was not the file's */
  _Atomic uint32_t wild;     /* an answer leads to memory that cannot be read */
  _Atomic uint32_t refused;  /* the stage says in an orderly way that the file is not usable */
  /* Lines of the report, appended: "library ...", "variable ...", "id ...". */
  _Atomic uint32_t facts_used;
  char facts[PROBE_FACTS_SIZE];
} probe_shared_t;

typedef struct probe_job_t {
  uint64_t nonce;
  uint64_t limit_ns;
  int report;       /* descriptor of the report, the parent's alone */
  int stages;       /* descriptor of a pipe for the stages */
  int file;         /* descriptor of the backend's file */
  const char* path; /* the same file; its folder is $ORIGIN */
} probe_job_t;

/* The exit status of a child that ended as it should; no exit(0) of a vendor looks like it. */
static inline int probe_exit_status(uint64_t nonce) { return 32 + (int)(nonce % 90); }

uint64_t probe_now_ns(void);

/* stages.c: what the child does; it does not return. */
_Noreturn void probe_run_stages(const probe_job_t* job, probe_shared_t* shared);

/* supervise.c: runs the child, writes the report; the exit status of the program. */
int probe_supervise(const probe_job_t* job);

/* facts.c: lines for the report; |data| is written in hexadecimal. Any thread may call these. */
void probe_facts_begin(probe_shared_t* shared);
void probe_fact(const char* name, const void* data, size_t size);
__attribute__((format(printf, 1, 2))) void probe_fact_line(const char* format, ...);
/* Notes every library that was loaded since the first call, which is with null, but |opened|. */
void probe_note_libraries(const char* opened);

/* checks.c: one stage after the other, with a look at what the last one did to the process. */
void probe_watch_begin(const probe_job_t* job, probe_shared_t* shared);
void probe_enter(probe_stage_t stage);
/* Notes that the answer of this stage is wild, or that the file refused itself. */
void probe_note_wild(const char* what);
void probe_note_refused(const char* why);

/* children.c: the children of this process, and whether one runs this program. */
size_t probe_list_children(pid_t* found, size_t capacity);
bool probe_is_copy(pid_t process);
/* Of a process by proc(5); |file| is a descriptor of its status, or -1: nothing is known. */
typedef struct probe_status_t {
  bool is_ready;   /* it runs, or would if there were a processor */
  bool is_stopped; /* or about to be, or to be ended */
} probe_status_t;
int probe_open_status(pid_t process);
probe_status_t probe_status(int file);

/* services.c: the table of host services; a log line goes to standard error. */
struct armnn_host_t;
const struct armnn_host_t* probe_host(void);

/* checks.c, too */
bool probe_is_readable(const void* address, uint64_t size);
bool probe_is_code(uintptr_t address);

#endif /* ARMNN_PROBE_H_ */
