#pragma once
#include <libzvbi.h>
