#include "syscall/plans.h"

#include <string.h>

#include "syscall/paths.h"
#include "syscall/spec.h"

void pt_plans_make(struct pt_plan plans[PT_CALL_SLOTS], struct pt_calls *calls,
		   const struct pt_call_filter *f, uint16_t text_max, bool paths)
{
	for (int slot = 0; slot < PT_CALL_SLOTS; slot++) {
		const char *name = pt_calls_name(calls, slot);
		struct pt_plan *plan = &plans[slot];
		struct pt_spec spec;

		*plan = (struct pt_plan){ .flags = 0 };
		/* The command's own exec starts the watching, even if it is not wanted. */
		if (name && !strncmp(name, "execve", 6))
			plan->flags = PT_PLAN_EXEC;
		if (slot < PT_CALLS && name && !strcmp(name, "rt_sigreturn"))
			plan->flags = PT_PLAN_SIGRETURN;
		if (!pt_call_filter_name(f, name))
			continue;
		plan->flags |= PT_PLAN_WANTED;
		if (!pt_spec_parse(name, slot >= PT_CALLS ? PT_SPEC_COMPAT : NULL, &spec))
			continue;
		pt_spec_plan(&spec, text_max, plan);
		if (paths)
			pt_paths_plan(&spec, plan);
	}
}
