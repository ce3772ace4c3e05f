/* A recording's header in perf's layout. Of events all non-zero members of the attribute, by the
 * kernel's names. */
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"
#include "script/script.h"

static void script_header_line(struct pt_buf *b, const char *what, const char *value)
{
	if (!value)
		return;
	pt_buf_puts(b, "# ");
	pt_buf_puts(b, what);
	pt_buf_puts(b, " : ");
	pt_text_puts(b, value);
	pt_buf_putc(b, '\n');
}

struct bit { uint64_t bit; const char *name; };

#define SAMPLE(bit) { PERF_SAMPLE_##bit, #bit }
static const struct bit sample_bits[] = {
	SAMPLE(IP), SAMPLE(TID), SAMPLE(TIME), SAMPLE(ADDR), SAMPLE(READ),
	SAMPLE(CALLCHAIN), SAMPLE(ID), SAMPLE(CPU), SAMPLE(PERIOD),
	SAMPLE(STREAM_ID), SAMPLE(RAW), SAMPLE(BRANCH_STACK),
	SAMPLE(REGS_USER), SAMPLE(STACK_USER), SAMPLE(IDENTIFIER),
	SAMPLE(REGS_INTR), SAMPLE(DATA_SRC), SAMPLE(WEIGHT),
	SAMPLE(PHYS_ADDR), SAMPLE(AUX), { PT_SAMPLE_CGROUP, "CGROUP" },
	{ PT_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PT_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PT_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ 0, NULL },
};

#define FORMAT(bit) { PERF_FORMAT_##bit, #bit }
static const struct bit read_bits[] = {
	FORMAT(TOTAL_TIME_ENABLED), FORMAT(TOTAL_TIME_RUNNING), FORMAT(ID),
	FORMAT(GROUP), { PT_FORMAT_LOST, "LOST" }, { 0, NULL },
};

/* By the number of their bit. */
static const char *const flags[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel",
	"exclude_hv", "exclude_idle",
	"mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark",
	[PT_ATTR_PRECISE_IP_SHIFT] = "precise_ip",
	[PT_ATTR_PRECISE_IP_SHIFT + 2] = "mmap_data", "sample_id_all", "exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel", "exclude_callchain_user", "mmap2", "comm_exec", "use_clockid",
	"context_switch",
	"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke",
	"build_id",
	"inherit_thread", "remove_on_exec", "sigtrap",
};

static void script_header_add_bits(struct pt_buf *b, const char *what, uint64_t value,
				   const struct bit *bits)
{
	bool any = false;

	if (!value)
		return;
	pt_buf_printf(b, ", %s = ", what);
	for (; bits->name; bits++)
		if (value & bits->bit) {
			pt_buf_puts(b, any ? "|" : "");
			pt_buf_puts(b, bits->name);
			any = true;
		}
}

static void script_header_add_number(struct pt_buf *b, const char *what, uint64_t value, bool hex)
{
	if (value)
		pt_buf_printf(b, hex ? ", %s = %#llx" : ", %s = %llu", what,
			      (unsigned long long)value);
}

static void script_header_add_event(struct pt_buf *b, const struct pt_event *ev)
{
	const struct pt_attr *a = &ev->attr;
	size_t i;

	pt_buf_puts(b, "# event : name = ");
	pt_text_puts(b, ev->name);
	pt_buf_puts(b, ", ");
	for (i = 0; i < ev->nr_ids; i++)
		pt_buf_printf(b, "%s %llu", i ? "," : ", id = {", (unsigned long long)ev->ids[i]);
	pt_buf_puts(b, ev->nr_ids ? " }" : "");
	script_header_add_number(b, "type", a->type, false);
	script_header_add_number(b, "size", a->size, false);
	script_header_add_number(b, "config", a->config, true);
	script_header_add_number(b, "{ sample_period, sample_freq }", a->sample_period, false);
	script_header_add_bits(b, "sample_type", a->sample_type, sample_bits);
	script_header_add_bits(b, "read_format", a->read_format, read_bits);
	for (i = 0; i < PT_NR(flags); i++)
		if (flags[i])
			script_header_add_number(
				b, flags[i],
				a->flags >> i & (i == PT_ATTR_PRECISE_IP_SHIFT ? 3 : 1), false);
	script_header_add_number(b, "{ wakeup_events, wakeup_watermark }", a->wakeup_events, false);
	script_header_add_number(b, "bp_type", a->bp_type, false);
	script_header_add_number(b, "{ bp_addr, config1 }", a->config1, true);
	script_header_add_number(b, "{ bp_len, config2 }", a->config2, true);
	script_header_add_number(b, "branch_sample_type", a->branch_sample_type, true);
	script_header_add_number(b, "sample_regs_user", a->sample_regs_user, true);
	script_header_add_number(b, "sample_stack_user", a->sample_stack_user, false);
	if (a->clockid)
		pt_buf_printf(b, ", clockid = %d", a->clockid);
	script_header_add_number(b, "sample_regs_intr", a->sample_regs_intr, true);
	script_header_add_number(b, "aux_watermark", a->aux_watermark, false);
	script_header_add_number(b, "sample_max_stack", a->sample_max_stack, false);
	script_header_add_number(b, "aux_sample_size", a->aux_sample_size, false);
	script_header_add_number(b, "sig_data", a->sig_data, false);
	pt_buf_putc(b, '\n');
}

/* By PT_FEATURE_*, and those that no tool here reads. */
static const char *const features[] = {
	[PT_FEATURE_TRACING_DATA] = "TRACING_DATA", "BUILD_ID", "HOSTNAME", "OSRELEASE", "VERSION",
	"ARCH", "NRCPUS", "CPUDESC", "CPUID",
	"TOTAL_MEM", "CMDLINE", "EVENT_DESC", "CPU_TOPOLOGY", "NUMA_TOPOLOGY", "BRANCH_STACK",
	"PMU_MAPPINGS", "GROUP_DESC", "AUXTRACE",
	"STAT", "CACHE", "SAMPLE_TIME", "MEM_TOPOLOGY", "CLOCKID", "DIR_FORMAT", "BPF_PROG_INFO",
	"BPF_BTF", "COMPRESSED", "CPU_PMU_CAPS",
	"CLOCK_DATA", "HYBRID_TOPOLOGY",
};
enum { CACHE = 20, MEM_TOPOLOGY = 22, BPF_PROG_INFO = 25, BPF_BTF = 26 };

static bool script_header_has(const struct pt_info *info, size_t feature)
{
	return info->features[feature / 64] >> feature % 64 & 1;
}

static void add_available(struct pt_buf *b, const struct pt_info *info, size_t feature)
{
	if (script_header_has(info, feature))
		pt_buf_printf(b, "# %s info available, use -I to display\n", features[feature]);
}

static void add_missing(struct pt_buf *b, const struct pt_info *info)
{
	pt_buf_puts(b, "# missing features: ");
	for (size_t i = 1; i < PT_NR(features); i++)
		/* perf does not report missing BPF features */
		if (!script_header_has(info, i) && i != BPF_PROG_INFO && i != BPF_BTF)
			pt_buf_printf(b, "%s ", features[i]);
	pt_buf_putc(b, '\n');
}

static void add_machine(struct pt_buf *b, const struct pt_info *info)
{
	size_t i;

	script_header_line(b, "hostname", info->hostname);
	script_header_line(b, "os release", info->os_release);
	script_header_line(b, "perf version", info->version);
	script_header_line(b, "arch", info->arch);
	if (info->nr_cpus_online)
		pt_buf_printf(b, "# nrcpus online : %u\n", info->nr_cpus_online);
	if (info->nr_cpus_avail)
		pt_buf_printf(b, "# nrcpus avail : %u\n", info->nr_cpus_avail);
	script_header_line(b, "cpudesc", info->cpu_desc);
	script_header_line(b, "cpuid", info->cpu_id);
	if (info->total_mem_kb)
		pt_buf_printf(b, "# total memory : %llu kB\n",
			      (unsigned long long)info->total_mem_kb);
	if (!info->nr_cmdline)
		return;
	pt_buf_puts(b, "# cmdline : ");
	for (i = 0; i < info->nr_cmdline; i++) {
		pt_text_puts(b, info->cmdline[i]);
		pt_buf_putc(b, ' ');
	}
	pt_buf_putc(b, '\n');
}

void pt_script_header(struct pt_source *src, int64_t captured, struct pt_buf *b)
{
	const struct pt_info *info = pt_source_info(src);
	time_t when = (time_t)captured;
	char text[64];
	size_t i;

	pt_buf_puts(b, "# ========\n");
	if (captured && ctime_r(&when, text))
		pt_buf_printf(b, "# captured on    : %s", text);
	if (!info->stream && !info->live)
		pt_buf_printf(
			b,
			"# header version : 1\n# data offset    : %llu\n# data size      : %llu\n# feat offset    : %llu\n",
			(unsigned long long)info->data_off,
			(unsigned long long)info->data_len_bytes,
			(unsigned long long)(info->data_off + info->data_len_bytes));
	add_machine(b, info);
	for (i = 0; i < pt_source_nr_events(src); i++)
		script_header_add_event(b, pt_source_event(src, i));
	add_available(b, info, PT_FEATURE_CPU_TOPOLOGY);
	add_available(b, info, PT_FEATURE_NUMA_TOPOLOGY);
	for (i = 0; i < info->nr_pmus; i++) {
		pt_buf_puts(b, i ? ", " : "# pmu mappings: ");
		pt_text_puts(b, info->pmus[i].name);
		pt_buf_printf(b, " = %u%s", info->pmus[i].type, i + 1 == info->nr_pmus ? "\n" : "");
	}
	add_available(b, info, CACHE);
	if (script_header_has(info, PT_FEATURE_SAMPLE_TIME)) {
		pt_buf_puts(b, "# time of first sample : ");
		pt_buf_usec(b, info->first_time_ns);
		pt_buf_puts(b, "\n# time of last sample : ");
		pt_buf_usec(b, info->last_time_ns);
		pt_buf_printf(b, "\n# sample duration : %10.3f ms\n",
			      (double)(info->last_time_ns - info->first_time_ns) / 1e6);
	}
	add_available(b, info, MEM_TOPOLOGY);
	if (!info->live)
		add_missing(b, info);
	pt_buf_puts(b, "# ========\n#\n");
}
