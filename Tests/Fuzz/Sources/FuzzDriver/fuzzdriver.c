#include "fuzzdriver.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *bytes, size_t size));

int fuzz_driver_run(int argc, char **argv) { return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput); }
