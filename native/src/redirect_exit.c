/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * redirect_exit.c - a backend's own calls of _exit and quick_exit, which run no handler of exit,
 * and of exit reach last_words.c, those of exec and fork redirect_exec.c.
 *
 * The calls of a shared object go through a table of addresses that the dynamic linker has filled
 * in, one for each function that it takes from elsewhere. The entries of _exit get another address.
 * System V ABI, "Global Offset Table"; all entries are filled when dlopen with RTLD_NOW returns.
 */
#define _GNU_SOURCE /* dlinfo, dl_iterate_phdr */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"

#if defined(__x86_64__)
#define IS_ADDRESS(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_ADDRESS(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_ADDRESS(type) false
#endif

/* A shared object in memory: its base, and the pages that are read-only since it was linked. */
typedef struct object_t {
  ElfW(Addr) base, relro_begin, relro_end;
} object_t;

static int find_relro(struct dl_phdr_info* info, size_t size, void* argument) {
  (void)size;
  object_t* object = (object_t*)argument;
  if (info->dlpi_addr != object->base) return 0;
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    if (header->p_type != PT_GNU_RELRO) continue;
    object->relro_begin = object->base + header->p_vaddr;
    object->relro_end = object->relro_begin + header->p_memsz;
  }
  return 1;
}

static void redirect(const object_t* object, void** entry, void* target) {
  const ElfW(Addr) address = (ElfW(Addr))entry;
  if (address < object->relro_begin || address >= object->relro_end) {
    *entry = target;
    return;
  }
  const ElfW(Addr) page = address & ~((ElfW(Addr))sysconf(_SC_PAGESIZE) - 1);
  const size_t size = address + sizeof *entry - page;
  if (mprotect((void*)page, size, PROT_READ | PROT_WRITE) != 0) return;
  *entry = target;
  mprotect((void*)page, size, PROT_READ);
}

/* What the dynamic section of an object says. */
typedef struct tables_t {
  const ElfW(Sym) * symbols;
  const char* strings;
  const ElfW(Rela) * lists[2];
  size_t sizes[2];
} tables_t;

/* glibc has made the addresses absolute, musl leaves them relative to the base. */
static const void* pointer(const object_t* object, ElfW(Addr) value) {
  return (const void*)(value < object->base ? object->base + value : value);
}

static tables_t read_tables(const object_t* object, const ElfW(Dyn) * entry) {
  tables_t tables = {.symbols = NULL};
  bool has_addends = true;
  for (; entry->d_tag != DT_NULL; ++entry) {
    const void* place = pointer(object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) tables.symbols = (const ElfW(Sym)*)place;
    if (entry->d_tag == DT_STRTAB) tables.strings = (const char*)place;
    if (entry->d_tag == DT_RELA) tables.lists[0] = (const ElfW(Rela)*)place;
    if (entry->d_tag == DT_RELASZ) tables.sizes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) tables.lists[1] = (const ElfW(Rela)*)place;
    if (entry->d_tag == DT_PLTRELSZ) tables.sizes[1] = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTREL) has_addends = entry->d_un.d_val == DT_RELA;
  }
  if (!has_addends) tables.lists[1] = NULL;
  return tables;
}

/* Where calls of a function go, null: where they went. */
static void* target_of(const char* name) {
  if (strcmp(name, "_exit") == 0 || strcmp(name, "_Exit") == 0) {
    return (void*)(uintptr_t)armnn_i_tell_immediate_exit;
  }
  if (strcmp(name, "quick_exit") == 0) return (void*)(uintptr_t)armnn_i_tell_quick_exit;
  if (strcmp(name, "exit") == 0) return (void*)(uintptr_t)armnn_i_tell_exit;
  return armnn_i_exec_target(name);
}

uint32_t armnn_core_redirect_exits(void* library) {
  struct link_map* map = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return 0;
  object_t object = {.base = map->l_addr};
  (void)armnn_i_visit_objects(map->l_ld, find_relro, &object);
  const tables_t tables = read_tables(&object, map->l_ld);
  if (tables.symbols == NULL || tables.strings == NULL) return 0;
  uint32_t count = 0;
  for (size_t list = 0; list < 2; ++list) {
    const ElfW(Rela)* item = tables.lists[list];
    const ElfW(Rela)* end = item + (item == NULL ? 0 : tables.sizes[list] / sizeof *item);
    for (; item < end; ++item) {
      const ElfW(Sym)* symbol = &tables.symbols[ELF64_R_SYM(item->r_info)];
      if (!IS_ADDRESS(ELF64_R_TYPE(item->r_info))) continue;
      void* const target = target_of(tables.strings + symbol->st_name);
      if (target == NULL) continue;
      redirect(&object, (void**)(object.base + item->r_offset), target);
      ++count;
    }
  }
  return count;
}
