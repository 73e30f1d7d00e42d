#include "cmediashim.h"
