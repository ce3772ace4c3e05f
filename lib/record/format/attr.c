/* attr.c - attributes as they are stored; names of events and of types of records */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/sysname.h"
#include "record/format/evtable.h"

uint64_t pt_bits_turned(uint64_t v, const uint8_t *widths, size_t nr)
{
	uint64_t out = 0;
	unsigned low = 0;

	for (size_t i = 0; i < nr; low += widths[i++])
		out |= (v >> (64 - low - widths[i]) & ((1ull << widths[i]) - 1)) << low;
	return out;
}

/* The bit fields, of which PRECISE_IP alone has two bits. */
static uint64_t read_flags(const void *p, bool swap)
{
	static const uint8_t widths[] = { [0 ... 14] = 1, 2, [16 ... 62] = 1 };
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != swap;
	uint64_t v = pt_load64(p, swap);

	return big ? pt_bits_turned(v, widths, PT_NR(widths)) : v;
}

/* The sizes of the attribute's members, in their order. */
static const uint8_t members[] = { 4, 4, 8, 8, 8, 8, 8, 4, 4, 8, 8, 8,
				   8, 4, 4, 8, 4, 2, 2, 4, 4, 8, 8 };

bool pt_attr_read(struct pt_attr *a, const void *p, size_t len, bool swap)
{
	uint32_t size = len < 8 ? 0 : pt_load32((const uint8_t *)p + 4, swap);
	uint8_t *at = (uint8_t *)a;

	if (!size)
		size = PT_ATTR_SIZE_VER0;	/* the first perf did not set it */
	if (size < PT_ATTR_SIZE_VER0 || size > len)
		return false;
	memset(a, 0, sizeof(*a));
	memcpy(a, p, PT_MIN(size, sizeof(*a)));
	for (size_t i = 0; i < PT_NR(members); at += members[i++])
		switch (members[i]) {
		case 2: pt_store16(at, pt_load16(at, swap), false); break;
		case 4: pt_store32(at, pt_load32(at, swap), false); break;
		case 8: pt_store64(at, pt_load64(at, swap), false); break;
		}
	a->size = size;
	a->flags = read_flags((const uint8_t *)p + offsetof(struct pt_attr, flags), swap);
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

#define KERNEL(name) [PERF_RECORD_##name] = #name
#define ROW(name, number) [number] = #name,
static const char *const names[] = {
	KERNEL(MMAP), KERNEL(LOST), KERNEL(COMM), KERNEL(EXIT), KERNEL(THROTTLE),
	KERNEL(UNTHROTTLE), KERNEL(FORK), KERNEL(READ), KERNEL(SAMPLE), KERNEL(MMAP2),
	KERNEL(AUX), KERNEL(ITRACE_START), KERNEL(LOST_SAMPLES), KERNEL(SWITCH),
	KERNEL(SWITCH_CPU_WIDE), KERNEL(NAMESPACES), KERNEL(KSYMBOL), KERNEL(BPF_EVENT),
	KERNEL(CGROUP), KERNEL(TEXT_POKE), KERNEL(AUX_OUTPUT_HW_ID),
	[PT_RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	PT_USER_RECORDS(ROW)
};
#undef ROW
#undef KERNEL

const char *pt_record_type_name(uint32_t type)
{
	return type < PT_NR(names) && names[type] ? names[type] : "of an unknown type";
}
