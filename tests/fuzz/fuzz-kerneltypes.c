/* fuzz-kerneltypes: any bytes as BTF, in which members and tracepoints are looked for. The corpus: what tests/unit/t-kerneltypes.c makes. */
#include "replay.h"

#include <stdlib.h>

#include "base/mem.h"
#include "syscall/kerneltypes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int value[4];
	const struct pt_kerneltype wanted[] = {
		{ "outer", "first", &value[0] }, { "outer", "deep", &value[1] }, { "outer", "none", &value[2] }, { "event", NULL, &value[3] },
	};
	void *copy = pt_memdup(data, len);	/* aligned */

	pt_kerneltypes_find_in(copy, len, wanted, PT_NR(wanted), NULL);
	free(copy);
	return 0;
}
