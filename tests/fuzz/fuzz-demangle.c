/* Mangled names without their _Z, one a line: what pt's reader answers is what libiberty answers, in both forms. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "names.h"
#include "replay.h"

static void compare(const char *line, size_t len)
{
	struct pt_buf ours = PT_BUF_INIT, theirs = PT_BUF_INIT;
	char *name = malloc(len + 3);	/* ends where the name ends, for what reads too far */
	int params;

	memcpy(name, "_Z", 2);
	memcpy(name + 2, line, len);
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
	pt_buf_deinit(&ours);
	pt_buf_deinit(&theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *s = (const char *)data, *end = s + len, *line;

	if (memchr(s, '\0', len))
		return 0;
	for (; s < end; s = line + 1) {
		line = memchr(s, '\n', (size_t)(end - s));
		if (!line)
			line = end;
		if (line - s <= 1100)
			compare(s, (size_t)(line - s));
	}
	return 0;
}
