#include "cli/symbols.h"

#include <string.h>
#include <sys/resource.h>

#include "base/text.h"
#include "elf/debuginfod.h"
#include "cli/losses.h"

#define ROW(...) PT_ROW_OF(struct pt_frames_opts, __VA_ARGS__)
const struct pt_opt pt_opts_symbols[] = {
	ROW(0, "no-inline", NULL, "no inlined functions", PT_OPT_FLAG,
		  no_inline),
	ROW(0, "no-demangle", NULL, "names as the linker knows them",
		  PT_OPT_FLAG, no_demangle),
	ROW(0, "symfs", "DIR", "look for files below DIR", PT_OPT_STR,
		  symfs),
	ROW(0, "kallsyms", "FILE", "kernel symbols, as /proc/kallsyms",
		  PT_OPT_STR, kallsyms),
	ROW(0, "vmlinux", "FILE",
		  "kernel symbols, from the kernel's ELF file", PT_OPT_STR, vmlinux),
	ROW(0, "debuginfod", NULL,
		  "fetch debug files that are not here, from $DEBUGINFOD_URLS", PT_OPT_FLAG,
		  debuginfod),
	ROW(0, "max-stack", "N", "frames of a stack at most (1024)",
		  PT_OPT_U64, max_stack, .min = 1, .max = 65536),
	{ 0 }
};

void pt_symbols_ready(const struct pt_tool *tool, struct pt_frames_opts *o)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_debuginfod *d = o->debuginfod ? pt_debuginfod_new(&e) : NULL;

	if (o->debuginfod && !d)
		pt_warn(tool, "--debuginfod: %s", e.msg);
	o->debuginfod = d;
	pt_debuginfod_free(d);
}

enum { TOLD_FILES = 8 };		/* files that are named; of more only the number */

void pt_symbols_tell(const struct pt_tool *t, const struct pt_frames *f)
{
	struct pt_frames_counts c = pt_frames_counts(f);
	struct rlimit files = { 0, 0 };
	const struct pt_budget *b;
	unsigned told = 0;
	size_t i;

	getrlimit(RLIMIT_NOFILE, &files);
	if (c.refused_files)
		pt_warn(t,
			"files with names could not be opened, since no more than %llu may be open at once: raise the limit (`ulimit -n`, nofile of limits.conf)",
			(unsigned long long)files.rlim_cur);
	if (c.unmapped_files)
		pt_warn(t,
			"%llu files with names could not be mapped, since a process may have so many mappings only: raise the limit (`sysctl vm.max_map_count`)",
			(unsigned long long)c.unmapped_files);
	if (c.unnamed)
		pt_warn(t,
			"%llu places go by their address: a second signal ended the search for names",
			(unsigned long long)c.unnamed);
	if (c.jit_refused)
		pt_warn(t,
			"names of JIT code of %llu processes are not used: their files in /tmp are another user's, anybody's to write, or older than the process",
			(unsigned long long)c.jit_refused);
	if (c.jit_doubtful)
		pt_warn(t,
			"names of JIT code of %llu processes are in doubt: their files in /tmp are another user's, or were written to when the process had ended",
			(unsigned long long)c.jit_doubtful);
	if (c.jit_timeless)
		pt_warn(t,
			"JIT code was replaced while this was recorded, and the recording has not the JIT's clock (%s): %llu places go by its last name",
			c.jit_counter
				? "the CPU's counter, which perf record without -k tells where the kernel has it"
				: "record with -k mono",
			(unsigned long long)c.jit_timeless);
	for (i = 0; (b = pt_budgets_hit(pt_frames_budgets(f), &i)); )
		if (told++ < TOLD_FILES)
			pt_warn_limit(t, b->path, b);
	if (told > TOLD_FILES)
		pt_warn(t, "%u more files met such limits", told - TOLD_FILES);
}
