/* preset.h - the events that an option such as --block stands for. */
#ifndef PT_EVENT_PRESET_H
#define PT_EVENT_PRESET_H

#include "event/name.h"

/* A row for each: the option's name, its array of events in preset.c, argument and help. */
#define PT_PRESETS(ROW) \
	ROW("block", block, NULL, "disk requests, on all CPUs") \
	ROW("sched", sched, NULL, "the scheduler's events, on all CPUs") \
	ROW("syscall", syscall, "[NAMES]", \
	    "system calls, all or NAMES (read,write); without -a only those of COMMAND and its children")

bool pt_preset_is(const char *name);
/* True: it implies -a, since its events belong to no task, or need those of other tasks. */
bool pt_preset_of_machine(const char *name);
/* True: the preset includes the tracepoint. */
bool pt_preset_has(const char *preset, const char *system, const char *name);
/* "block": block_rq_insert, _issue, _complete, _merge, _requeue, block_split, ... those of them
 * that this kernel has (issue and complete must be). "sched": sched_switch, sched_waking,
 * sched_wakeup, sched_wakeup_new, sched_migrate_task, sched_process_fork, _exec, _exit. "syscall":
 * raw_syscalls:sys_enter and sys_exit; with `names` ("read,write"): syscalls:sys_enter_NAME and
 * _exit_NAME of each. */
int pt_preset_add(struct pt_event_list *l, const char *preset, const char *names, struct pt_err *e);

#endif
