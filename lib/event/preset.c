#include "event/preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct preset_event {
	const char *name;
	bool optional;		/* older kernels have none: left out */
};

static const struct preset_event block[] = {
	{ "block:block_rq_insert", false }, { "block:block_rq_issue", false }, { "block:block_rq_complete", false },
	{ "block:block_rq_merge", true }, { "block:block_rq_requeue", true }, { "block:block_split", true }, { NULL, false },
};

static const struct preset_event sched[] = {
	{ "sched:sched_switch", false }, { "sched:sched_waking", true }, { "sched:sched_wakeup", false }, { "sched:sched_wakeup_new", true },
	{ "sched:sched_migrate_task", true }, { "sched:sched_process_fork", true }, { "sched:sched_process_exec", true },
	{ "sched:sched_process_exit", true }, { NULL, false },
};

static const struct preset_event raw_syscalls[] = {
	{ "raw_syscalls:sys_enter", false }, { "raw_syscalls:sys_exit", false }, { NULL, false },
};

static const struct { const char *name; const struct preset_event *events; } presets[] = {
	{ "block", block }, { "sched", sched }, { "syscall", raw_syscalls },
};

/* Calls whose tracepoints are named after the kernel's function, not after the manual's page. */
static const struct { const char *call, *tracepoint; } renamed[] = {
	{ "fstat", "newfstat" }, { "lstat", "newlstat" }, { "stat", "newstat" }, { "fstatat", "newfstatat" }, { "uname", "newuname" },
	{ "sendfile", "sendfile64" }, { "umount2", "umount" }, { "_sysctl", "sysctl" }, { "pread", "pread64" }, { "pwrite", "pwrite64" },
};

static int add_events(struct pt_event_list *l, const struct preset_event *p, struct pt_err *e)
{
	size_t first = l->nr;

	for (; p->name; p++) {
		struct pt_err one = PT_ERR_INIT;

		if (pt_event_list_add(l, p->name, &one) == 0 || p->optional)
			continue;
		while (l->nr > first)	/* all or nothing */
			free(l->specs[--l->nr].name);
		if (e)
			*e = one;
		return -1;
	}
	l->last = first;
	return 0;
}

static int add_syscalls(struct pt_event_list *l, const char *names, struct pt_err *e)
{
	struct pt_buf text = PT_BUF_INIT;
	const char *p = names;
	size_t len, i;
	int rc;

	for (; *p; p += len) {
		const char *name = p;

		len = strcspn(p, ", ");
		if (!len) {
			len = 1;
			continue;
		}
		for (i = 0; i < PT_NR(renamed); i++)
			if (strlen(renamed[i].call) == len && !strncmp(renamed[i].call, p, len))
				name = renamed[i].tracepoint;
		pt_buf_printf(&text, "syscalls:sys_enter_%.*s,syscalls:sys_exit_%.*s,",
			      name == p ? (int)len : (int)strlen(name), name,
			      name == p ? (int)len : (int)strlen(name), name);
	}
	if (text.len)
		text.data[--text.len] = '\0';
	rc = pt_event_list_add(l, pt_buf_str(&text), e);
	pt_buf_deinit(&text);
	return rc < 0 ? pt_err_context(e, "--syscall %s", names) : 0;
}

int pt_preset_add(struct pt_event_list *l, const char *preset, const char *names, struct pt_err *e)
{
	size_t i;

	if (names && *names && !strcmp(preset, "syscall"))
		return add_syscalls(l, names, e);
	for (i = 0; i < PT_NR(presets); i++)
		if (!strcmp(presets[i].name, preset))
			return add_events(l, presets[i].events, e) < 0
				       ? pt_err_context(e, "--%s", preset)
				       : 0;
	return pt_err_set(e, "no preset %s; there are block, sched and syscall", preset);
}
