#pragma once
/// Runs libFuzzer over `LLVMFuzzerTestOneInput`.
int fuzz_driver_run(int argc, char **argv);
