/* attr.c - attributes as they are stored; names of events and of types of records */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/sysname.h"
#include "record/evtable.h"

static uint8_t reversed(uint8_t b)
{
	b = (uint8_t)((b & 0xf0) >> 4 | (b & 0x0f) << 4);
	b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
	return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

/* The bit fields in the order of their declaration. A little-endian compiler starts at the lowest
 * bit of the first byte, a big-endian one at the highest. The only field of two bits lies across
 * two bytes, so its bits come out in the wrong order then. */
static uint64_t read_flags(const uint8_t *p, bool big)
{
	uint64_t v = 0, precise;
	int i;

	for (i = 0; i < 8; i++)
		v |= (uint64_t)(big ? reversed(p[i]) : p[i]) << (8 * i);
	precise = v >> PT_ATTR_PRECISE_IP_SHIFT & 3;
	if (big)
		v = (v & ~PT_ATTR_PRECISE_IP) | ((precise & 1) << 1 | precise >> 1)
							<< PT_ATTR_PRECISE_IP_SHIFT;
	return v;
}

bool pt_attr_read(struct pt_attr *a, const void *p, size_t len, bool swap)
{
	uint8_t raw[sizeof(*a)] = { 0 };
	bool little_here = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint32_t size;

	if (len < PT_ATTR_SIZE_VER0)
		return false;
	size = pt_load32((const uint8_t *)p + 4, swap);
	if (!size)
		size = PT_ATTR_SIZE_VER0;	/* the first perf did not set it */
	if (size < PT_ATTR_SIZE_VER0 || size > len)
		return false;
	memcpy(raw, p, PT_MIN(size, sizeof(raw)));
	*a = (struct pt_attr){
		.type = pt_load32(raw, swap),
		.size = size,
		.config = pt_load64(raw + 8, swap),
		.sample_period = pt_load64(raw + 16, swap),
		.sample_type = pt_load64(raw + 24, swap),
		.read_format = pt_load64(raw + 32, swap),
		.flags = read_flags(raw + 40, little_here == swap),
		.wakeup_events = pt_load32(raw + 48, swap),
		.bp_type = pt_load32(raw + 52, swap),
		.config1 = pt_load64(raw + 56, swap),
		.config2 = pt_load64(raw + 64, swap),
		.branch_sample_type = pt_load64(raw + 72, swap),
		.sample_regs_user = pt_load64(raw + 80, swap),
		.sample_stack_user = pt_load32(raw + 88, swap),
		.clockid = (int32_t)pt_load32(raw + 92, swap),
		.sample_regs_intr = pt_load64(raw + 96, swap),
		.aux_watermark = pt_load32(raw + 104, swap),
		.sample_max_stack = pt_load16(raw + 108, swap),
		.aux_sample_size = pt_load32(raw + 112, swap),
		.aux_action = pt_load32(raw + 116, swap),
		.sig_data = pt_load64(raw + 120, swap),
		.config3 = pt_load64(raw + 128, swap),
	};
	return true;
}

/* Appends the modifiers (":u") for the rings and hosts that are not excluded. */
static void add_modifiers(struct pt_buf *b, uint64_t flags)
{
	uint64_t rings = PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_HV;
	unsigned precise = flags >> PT_ATTR_PRECISE_IP_SHIFT & 3;
	bool others = (flags & rings) || precise;
	char mods[16];
	int n = 0;

	if (flags & rings) {
		if (!(flags & PT_ATTR_EXCLUDE_KERNEL))
			mods[n++] = 'k';
		if (!(flags & PT_ATTR_EXCLUDE_USER))
			mods[n++] = 'u';
		if (!(flags & PT_ATTR_EXCLUDE_HV))
			mods[n++] = 'h';
	}
	while (precise--)
		mods[n++] = 'p';
	if (flags & PT_ATTR_EXCLUDE_HOST || !!(flags & PT_ATTR_EXCLUDE_GUEST) == others) {
		if (!(flags & PT_ATTR_EXCLUDE_HOST))
			mods[n++] = 'H';
		if (!(flags & PT_ATTR_EXCLUDE_GUEST))
			mods[n++] = 'G';
	}
	if (n)
		pt_buf_printf(b, ":%.*s", n, mods);
}

char *pt_attr_name(const struct pt_attr *a)
{
	static const char *const unknown[] = { [PERF_TYPE_HARDWARE] = "unknown-hardware",
					       [PERF_TYPE_SOFTWARE] = "unknown-software",
					       [PERF_TYPE_HW_CACHE] = "invalid-cache" };
	char *known = pt_sysname_of(a->type, a->config);
	struct pt_buf b = PT_BUF_INIT;

	if (known)
		pt_buf_puts(&b, known);
	else if (a->type == PERF_TYPE_RAW)
		pt_buf_printf(&b, "raw 0x%llx", (unsigned long long)a->config);
	else if (a->type == PERF_TYPE_BREAKPOINT)
		pt_buf_printf(&b, "mem:0x%llx:%s%s%s", (unsigned long long)a->config1,
			      a->bp_type & 1 ? "r" : "", a->bp_type & 2 ? "w" : "",
			      a->bp_type & 4 ? "x" : "");
	else if (a->type == PERF_TYPE_TRACEPOINT)
		pt_buf_printf(&b, "tracepoint:%llu", (unsigned long long)a->config);
	else if (a->type < PERF_TYPE_RAW)
		pt_buf_puts(&b, unknown[a->type]);
	else
		pt_buf_printf(&b, "pmu%u:0x%llx", a->type, (unsigned long long)a->config);
	if (a->type != PERF_TYPE_TRACEPOINT && a->type < PERF_TYPE_MAX)
		add_modifiers(&b, a->flags);
	free(known);
	return b.data;
}

static const char *const names[] = {
	[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST", [PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT", [PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE", [PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ", [PERF_RECORD_SAMPLE] = "SAMPLE", [PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX", [PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES", [PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE", [PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL", [PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP", [PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID", [22] = "CALLCHAIN_DEFERRED",
	[64] = "HEADER_ATTR", "HEADER_EVENT_TYPE", "HEADER_TRACING_DATA", "HEADER_BUILD_ID",
	"FINISHED_ROUND", "ID_INDEX", "AUXTRACE_INFO", "AUXTRACE", "AUXTRACE_ERROR", "THREAD_MAP",
	"CPU_MAP", "STAT_CONFIG", "STAT", "STAT_ROUND", "EVENT_UPDATE", "TIME_CONV",
	"HEADER_FEATURE", "COMPRESSED", "FINISHED_INIT", "COMPRESSED2", "BPF_METADATA",
};

const char *pt_record_type_name(uint32_t type)
{
	return type < PT_NR(names) && names[type] ? names[type] : "of an unknown type";
}
