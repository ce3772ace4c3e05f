/* abi.h - what today's perf_event ABI (Linux 6.18) has beyond an older installed
 * <linux/perf_event.h>. Source: include/uapi/linux/perf_event.h of the kernel; records above 63:
 * tools/lib/perf/include/perf/event.h. */
#ifndef PT_EVENT_ABI_H
#define PT_EVENT_ABI_H

#include <linux/perf_event.h>

#include <stdint.h>

/* struct perf_event_attr of Linux 6.16 (PERF_ATTR_SIZE_VER8, 136 bytes), independent of the
 * installed header. The bit fields are one word, since a recording of the other byte order has them
 * in the opposite order. */
struct pt_attr {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	uint64_t sample_period;		/* or the frequency in Hz, with PT_ATTR_FREQ */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;			/* PT_ATTR_* */
	uint32_t wakeup_events;		/* or bytes, with PT_ATTR_WATERMARK */
	uint32_t bp_type;
	uint64_t config1;		/* bp_addr, kprobe_func, uprobe_path */
	uint64_t config2;		/* bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
};
enum { PT_ATTR_SIZE_VER0 = 64, PT_ATTR_SIZE_VER7 = 128, PT_ATTR_SIZE_VER8 = 136 };
_Static_assert(sizeof(struct pt_attr) == PT_ATTR_SIZE_VER8,
	       "pt_attr is the kernel's perf_event_attr");

#define PT_ATTR_DISABLED		(1ull << 0)
#define PT_ATTR_INHERIT			(1ull << 1)
#define PT_ATTR_PINNED			(1ull << 2)
#define PT_ATTR_EXCLUSIVE		(1ull << 3)
#define PT_ATTR_EXCLUDE_USER		(1ull << 4)
#define PT_ATTR_EXCLUDE_KERNEL		(1ull << 5)
#define PT_ATTR_EXCLUDE_HV		(1ull << 6)
#define PT_ATTR_EXCLUDE_IDLE		(1ull << 7)
#define PT_ATTR_MMAP			(1ull << 8)
#define PT_ATTR_COMM			(1ull << 9)
#define PT_ATTR_FREQ			(1ull << 10)
#define PT_ATTR_INHERIT_STAT		(1ull << 11)
#define PT_ATTR_ENABLE_ON_EXEC		(1ull << 12)
#define PT_ATTR_TASK			(1ull << 13)
#define PT_ATTR_WATERMARK		(1ull << 14)
#define PT_ATTR_PRECISE_IP_SHIFT	15
#define PT_ATTR_PRECISE_IP		(3ull << 15)
#define PT_ATTR_MMAP_DATA		(1ull << 17)
#define PT_ATTR_SAMPLE_ID_ALL		(1ull << 18)
#define PT_ATTR_EXCLUDE_HOST		(1ull << 19)
#define PT_ATTR_EXCLUDE_GUEST		(1ull << 20)
#define PT_ATTR_EXCLUDE_CALLCHAIN_KERNEL (1ull << 21)
#define PT_ATTR_EXCLUDE_CALLCHAIN_USER	(1ull << 22)
#define PT_ATTR_MMAP2			(1ull << 23)
#define PT_ATTR_COMM_EXEC		(1ull << 24)
#define PT_ATTR_USE_CLOCKID		(1ull << 25)
#define PT_ATTR_CONTEXT_SWITCH		(1ull << 26)
#define PT_ATTR_WRITE_BACKWARD		(1ull << 27)
#define PT_ATTR_NAMESPACES		(1ull << 28)
#define PT_ATTR_KSYMBOL			(1ull << 29)
#define PT_ATTR_BPF_EVENT		(1ull << 30)
#define PT_ATTR_AUX_OUTPUT		(1ull << 31)
#define PT_ATTR_CGROUP			(1ull << 32)
#define PT_ATTR_TEXT_POKE		(1ull << 33)
#define PT_ATTR_BUILD_ID		(1ull << 34)
#define PT_ATTR_INHERIT_THREAD		(1ull << 35)
#define PT_ATTR_REMOVE_ON_EXEC		(1ull << 36)
#define PT_ATTR_SIGTRAP			(1ull << 37)
#define PT_ATTR_DEFER_CALLCHAIN		(1ull << 38)
#define PT_ATTR_DEFER_OUTPUT		(1ull << 39)

/* Records of the kernel: 1 to 22, see there. */
#define PT_RECORD_CALLCHAIN_DEFERRED	22
#define PT_CONTEXT_USER_DEFERRED	((uint64_t)-640)

enum { PT_HEADER_BYTES = 8 };	/* struct perf_event_header */

/* Records of perf's own (user space), in files and pipes: ROW(name, number). */
#define PT_USER_RECORDS(ROW) \
	ROW(HEADER_ATTR, 64) \
	ROW(HEADER_EVENT_TYPE, 65) \
	ROW(HEADER_TRACING_DATA, 66) \
	ROW(HEADER_BUILD_ID, 67) \
	ROW(FINISHED_ROUND, 68) \
	ROW(ID_INDEX, 69) \
	ROW(AUXTRACE_INFO, 70) \
	ROW(AUXTRACE, 71) \
	ROW(AUXTRACE_ERROR, 72) \
	ROW(THREAD_MAP, 73) \
	ROW(CPU_MAP, 74) \
	ROW(STAT_CONFIG, 75) \
	ROW(STAT, 76) \
	ROW(STAT_ROUND, 77) \
	ROW(EVENT_UPDATE, 78) \
	ROW(TIME_CONV, 79) \
	ROW(HEADER_FEATURE, 80) \
	ROW(COMPRESSED, 81) \
	ROW(FINISHED_INIT, 82) \
	ROW(COMPRESSED2, 83) \
	ROW(BPF_METADATA, 84)

#define ROW(name, number) PT_RECORD_##name = number,
enum pt_user_record {
	PT_USER_RECORDS(ROW)
	/* Of pt's own, never in a file: see record/format/record.h. */
	PT_RECORD_TICK = 0x10000,
	PT_RECORD_CHILD_EXIT,
};
#undef ROW

/* sample_type bits */
#define PT_SAMPLE_CGROUP		(1ull << 21)
#define PT_SAMPLE_DATA_PAGE_SIZE	(1ull << 22)
#define PT_SAMPLE_CODE_PAGE_SIZE	(1ull << 23)
#define PT_SAMPLE_WEIGHT_STRUCT		(1ull << 24)
/* read_format */
#define PT_FORMAT_LOST			(1ull << 4)

#endif
