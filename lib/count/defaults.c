#include "count/defaults.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static bool has_cpu_event(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/cpu/events/%s", name);
	return !access(path, F_OK);
}

const char *pt_counts_detail_events(uint64_t i)
{
	return i < PT_NR(details) ? details[i] : NULL;
}

const char *pt_counts_topdown_events(void)
{
	if (has_cpu_event("topdown-retiring"))
		return "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}";
	if (has_cpu_event("topdown-total-slots"))
		return "{topdown-total-slots,topdown-slots-issued,topdown-slots-retired,topdown-fetch-bubbles,topdown-recovery-bubbles}";
	return NULL;
}

char *pt_counts_default_events(bool tasks, uint64_t detail)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_buf_printf(
		&b,
		"%s,context-switches,cpu-migrations,page-faults,cycles%s%s,instructions,branches,branch-misses",
		tasks ? "task-clock" : "cpu-clock",
		has_cpu_event("stalled-cycles-frontend") ? ",stalled-cycles-frontend" : "",
		has_cpu_event("stalled-cycles-backend") ? ",stalled-cycles-backend" : "");
	for (uint64_t i = 0; i < PT_MIN(detail, PT_NR(details)); i++)
		pt_buf_printf(&b, ",%s", details[i]);
	return b.data;
}
