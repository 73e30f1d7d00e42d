#pragma once
/// Names the calling thread for debuggers; longer names are cut to 15 bytes.
void sluice_thread_set_name(const char *name);
/// Marks the calling thread as one that may block in C.
void sluice_thread_set_may_block(int may_block);
/// Whether the calling thread may block in C; 0 on every thread that was not marked.
int sluice_thread_may_block(void);
