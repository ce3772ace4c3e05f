/* A mangled name, both forms: what pt's reader answers is what libiberty answers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "names.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct pt_buf ours, theirs;
	char *name;
	int params;

	if (len > 1100 || memchr(data, '\0', len))
		return 0;
	name = malloc(len + 3);
	memcpy(name, "_Z", 2);
	memcpy(name + 2, data, len);
	name[len + 2] = '\0';
	for (params = 0; params < 2; params++) {
		if (names_compare(name, params, &ours, &theirs) == NAMES_DIFFERENT) {
			fprintf(stderr, "%s\n  pt      %s\n  library %s\n", name, pt_buf_str(&ours), pt_buf_str(&theirs));
			abort();
		}
		if (ours.len > 65536)
			abort();
	}
	free(name);
	return 0;
}
