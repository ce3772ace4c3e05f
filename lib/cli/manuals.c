#include "cli/manuals.h"

#include <stddef.h>

const struct pt_manual pt_manuals[] = {
#include "manuals.def.h"
	{ NULL, NULL }
};
