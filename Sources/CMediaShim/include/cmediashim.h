#pragma once
#include "cmediashim_curl.h"
