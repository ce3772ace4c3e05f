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

uint64_t pt_sampling_user_registers(void)
{
#if defined(__x86_64__)
	/* without ds, es, fs, gs, which the kernel does not provide */
	return 0xff0fff;
#elif defined(__i386__)
	return 0x0fff;		/* ax bx cx dx si di bp sp ip flags cs ss */
#elif defined(__aarch64__)
	return (1ull << 33) - 1;
#elif defined(__s390x__)
	return (1ull << 34) - 1;
#elif defined(__riscv)
	return (1ull << 32) - 1;
#elif defined(__powerpc64__)
	return (1ull << 43) - 1;
#else
	return 0;
#endif
}

uint64_t pt_sampling_chain_registers(void)
{
#if defined(__aarch64__)
	return 1ull << 30;		/* lr */
#else
	return 0;
#endif
}
