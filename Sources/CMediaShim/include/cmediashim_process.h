#pragma once

// Memory of the process; what of glibc Swift's own module does not show.

// One arena of the allocator for all threads. Only before the first thread is made.
void shim_share_malloc_arena(void);

// Returns free memory of the heap to the system.
void shim_trim_heap(void);

// Unmaps what was read of the program and its libraries so far; it comes back page by page where it is touched again.
// Returns how many segments that were.
int shim_release_loaded_pages(void);
