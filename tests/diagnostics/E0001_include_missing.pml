#include "defs.h"
