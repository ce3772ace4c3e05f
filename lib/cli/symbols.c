#include "cli/symbols.h"

#include <sys/resource.h>

#include "elf/debuginfod.h"
#include "cli/losses.h"

#define ROW(...) PT_ROW_OF(struct pt_frames_opts, __VA_ARGS__)
const struct pt_opt pt_opts_symbols[] = {
	ROW(0, "no-inline", NULL, "do not show inlined functions", PT_OPT_FLAG,
		  no_inline),
	ROW(0, "no-demangle", NULL, "do not demangle names of C++ and Rust",
		  PT_OPT_FLAG, no_demangle),
	ROW(0, "symfs", "DIR", "look for programs and libraries below DIR", PT_OPT_STR,
		  symfs),
	ROW(0, "kallsyms", "FILE", "kernel symbols from a copy of /proc/kallsyms",
		  PT_OPT_STR, kallsyms),
	ROW(0, "vmlinux", "FILE",
		  "kernel symbols from the kernel's ELF file", PT_OPT_STR, vmlinux),
	ROW(0, "debuginfod", NULL,
		  "fetch missing debug files from $DEBUGINFOD_URLS", PT_OPT_FLAG,
		  debuginfod),
	ROW(0, "jvm", NULL, "ask Java for the names of the code that it has compiled",
		  PT_OPT_FLAG, jvm),
	ROW(0, "max-stack", "N", "show at most N frames of a stack (1024)",
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
			"some names are missing: files could not be opened, because only %llu may be open at once (raise `ulimit -n`, or nofile in limits.conf)",
			(unsigned long long)files.rlim_cur);
	pt_warn_count(
		t, c.unmapped_files, "file", "files",
		"could not be mapped, so some names are missing: the number of mappings is limited (raise `sysctl vm.max_map_count`)");
	pt_warn_count(t, c.unnamed, "place is", "places are",
		      "shown by address: a second signal ended the search for names");
	pt_warn_count(
		t, c.jit_refused, "process has", "processes have",
		"JIT code whose names are not used: the files of names in /tmp are another user's, writable by everybody, or older than the process");
	pt_warn_count(
		t, c.jit_doubtful, "process has", "processes have",
		"JIT code whose names are in doubt: the files of names in /tmp are another user's, or were written after the process had ended");
	if (c.jvm_silent)
		pt_warn(t, "--jvm: %llu Java virtual machine%s no names: %s",
			(unsigned long long)c.jvm_silent, c.jvm_silent == 1 ? " gave" : "s gave",
			c.jvm_why);
	if (c.jit_timeless)
		pt_warn(t,
			"JIT code was replaced during the recording, which does not use the JIT's clock (%s): %llu places have the code's last name",
			c.jit_counter
				? "the CPU's counter; perf record without -k records it if the kernel can"
				: "record with -k mono",
			(unsigned long long)c.jit_timeless);
	for (i = 0; (b = pt_budgets_hit(pt_frames_budgets(f), &i)); )
		if (told++ < TOLD_FILES)
			pt_warn_limit(t, b->path, b);
	if (told > TOLD_FILES)
		pt_warn(t, "%u more files met such limits", told - TOLD_FILES);
}
