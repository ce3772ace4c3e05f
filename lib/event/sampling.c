#include "event/sampling.h"

#include <unistd.h>

#include "event/abi.h"
#include "event/open.h"

const char *pt_sampling_default_event(void)
{
	struct pt_attr a = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = PT_ATTR_DISABLED | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV,
	};
	int fd = pt_perf_open(&a, 0, -1, -1, 0);

	if (fd < 0)
		return "cpu-clock";
	close(fd);
	return "cycles";
}
