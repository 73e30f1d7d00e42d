#pragma once
#include "cmediashim_curl.h"
#include "cmediashim_ffmpeg.h"
#include "cmediashim_mhd.h"
#include "cmediashim_process.h"
