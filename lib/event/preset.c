#include "event/preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/name_priv.h"

struct preset_event {
	const char *name;
	bool optional;		/* older kernels do not have it */
};

static const struct preset_event block[] = {
	{ "block:block_rq_insert", false }, { "block:block_rq_issue", false },
	{ "block:block_rq_complete", false },
	{ "block:block_rq_merge", true }, { "block:block_rq_requeue", true },
	{ "block:block_split", true }, { NULL, false },
};

static const struct preset_event sched[] = {
	{ "sched:sched_switch", false }, { "sched:sched_waking", true },
	{ "sched:sched_wakeup", false }, { "sched:sched_wakeup_new", true },
	{ "sched:sched_migrate_task", true }, { "sched:sched_process_fork", true },
	{ "sched:sched_process_exec", true },
	{ "sched:sched_process_exit", true }, { NULL, false },
};

static const struct preset_event syscall[] = {
	{ "raw_syscalls:sys_enter", false }, { "raw_syscalls:sys_exit", false }, { NULL, false },
};

#define ROW(name_, events_, arg, help) { name_, events_ },
static const struct { const char *name; const struct preset_event *events; } presets[] = {
	PT_PRESETS(ROW)
};
#undef ROW

static const struct preset_event *events_of(const char *preset)
{
	for (size_t i = 0; i < PT_NR(presets); i++)
		if (!strcmp(presets[i].name, preset))
			return presets[i].events;
	return NULL;
}

bool pt_preset_is(const char *name)
{
	return events_of(name);
}

bool pt_preset_of_machine(const char *name)
{
	return strcmp(name, "syscall");
}

bool pt_preset_has(const char *preset, const char *system, const char *name)
{
	size_t len = strlen(system);

	for (const struct preset_event *p = events_of(preset); p && p->name; p++)
		if (!strncmp(p->name, system, len) && p->name[len] == ':' &&
		    !strcmp(p->name + len + 1, name))
			return true;
	return false;
}

/* Calls whose tracepoints are named after the kernel's function instead of the manual page. */
static const struct { const char *call, *tracepoint; } renamed[] = {
	{ "fstat", "newfstat" }, { "lstat", "newlstat" }, { "stat", "newstat" },
	{ "fstatat", "newfstatat" }, { "uname", "newuname" },
	{ "sendfile", "sendfile64" }, { "umount2", "umount" }, { "_sysctl", "sysctl" },
	{ "pread", "pread64" }, { "pwrite", "pwrite64" },
};

static int preset_add_events(struct pt_event_list *l, const struct preset_event *p,
			     struct pt_err *e)
{
	size_t first = l->nr;

	for (; p->name; p++) {
		struct pt_err one = PT_ERR_INIT;

		if (pt_event_list_add(l, p->name, &one) == 0 || p->optional)
			continue;
		name_cut_back(l, first);	/* all or nothing */
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
	char *copy = pt_strdup(names), *rest = copy;
	const char *name;
	int rc;

	while ((name = strsep(&rest, ", "))) {
		for (size_t i = 0; i < PT_NR(renamed); i++)
			if (!strcmp(renamed[i].call, name))
				name = renamed[i].tracepoint;
		if (*name)
			pt_buf_printf(&text, "syscalls:sys_enter_%s,syscalls:sys_exit_%s,", name,
				      name);
	}
	rc = pt_event_list_add(l, pt_buf_str(&text), e);
	pt_buf_deinit(&text);
	free(copy);
	return rc < 0 ? pt_err_context(e, "--syscall %s", names) : 0;
}

int pt_preset_add(struct pt_event_list *l, const char *preset, const char *names, struct pt_err *e)
{
	if (!pt_preset_is(preset))
		return pt_err_set(e, "there is no preset %s", preset);
	if (names && *names && !strcmp(preset, "syscall"))
		return add_syscalls(l, names, e);
	return preset_add_events(l, events_of(preset), e) < 0 ? pt_err_context(e, "--%s", preset)
							      : 0;
}
