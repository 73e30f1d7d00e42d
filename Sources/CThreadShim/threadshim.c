#define _GNU_SOURCE
#include "cthreadshim.h"
#include <pthread.h>
#include <string.h>

static __thread int may_block = 0;

void sluice_thread_set_name(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    pthread_setname_np(pthread_self(), cut);
}

void sluice_thread_set_may_block(int value) { may_block = value; }

int sluice_thread_may_block(void) { return may_block; }
