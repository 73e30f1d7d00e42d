#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cmediashim_process.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void shim_share_malloc_arena(void) {
    mallopt(M_ARENA_MAX, 1);
    // glibc raises this by itself with the first large block that is freed; large packets would then leave holes between
    // the small ones that stay, 20 MiB of them after some hundred segments.
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
}

void shim_trim_heap(void) { malloc_trim(0); }

// Relocations in what is not writable: it no longer equals the file.
static int has_text_relocations(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 1;
        }
    }
    return 0;
}

static int release_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    if (has_text_relocations(object) || strncmp(object->dlpi_name, "linux-vdso", 10) == 0) return 0;
    int *released = context;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        // What was ever writable holds relocations, also where it is read-only by now; the rest equals the file.
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        const uintptr_t first = (object->dlpi_addr + segment->p_vaddr + page - 1) / page * page;
        const uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) / page * page;
        if (first < end && madvise((void *)first, end - first, MADV_DONTNEED) == 0) ++*released;
    }
    return 0;
}

int shim_release_loaded_pages(void) {
    int released = 0;
    dl_iterate_phdr(release_object, &released);
    return released;
}
