#pragma once
#include "cmediashim_mhd.h"
