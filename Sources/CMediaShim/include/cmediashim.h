#pragma once
#include "cmediashim_ffmpeg.h"
