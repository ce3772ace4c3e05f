#include "syscall/plans.h"

#include <string.h>

#include "syscall/paths.h"
#include "syscall/spec.h"

void pt_plans_make(struct pt_plan plans[PT_CALLS], struct pt_calls *calls,
		   const struct pt_call_filter *f, uint16_t text_max, bool paths)
{
	for (int64_t nr = 0; nr < PT_CALLS; nr++) {
		const char *name = pt_calls_name(calls, nr);
		struct pt_plan *plan = &plans[nr];
		struct pt_spec spec;

		/* The command's own exec starts the watching, even if it is not wanted. */
		if (name && !strncmp(name, "execve", 6))
			plan->flags = PT_PLAN_EXEC;
		if (name && !strcmp(name, "rt_sigreturn"))
			plan->flags = PT_PLAN_SIGRETURN;
		if (!pt_call_filter_name(f, name))
			continue;
		plan->flags |= PT_PLAN_WANTED;
		if (!pt_spec_parse(name, &spec))
			continue;
		pt_spec_plan(&spec, text_max, plan);
		if (paths)
			pt_paths_plan(name, &spec, plan);
	}
}
