#include "record/magic.h"

#include <string.h>

#include "base/mem.h"

bool pt_magic_is(const void *p, size_t n)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };

	for (size_t i = 0; i < PT_NR(magics); i++)
		if (!memcmp(p, magics[i], PT_MIN(n, (size_t)PT_MAGIC_BYTES)))
			return true;
	return false;
}
