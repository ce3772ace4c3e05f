#include "cli/callgraph.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/num.h"

const struct pt_opt pt_opts_call_graph[] = {
	PT_ROW_OF(struct pt_call_graph, 0, "stack-size", "BYTES",
		  "copy this much of each stack for unwinding (16K, up to 65528)", PT_OPT_SIZE,
		  stack_bytes, .min = 1, .max = PT_CALL_GRAPH_MAX_BYTES),
	PT_ROW_CALL(0, "call-graph", "HOW",
		    "how stacks are taken: dwarf[,BYTES] (default), fp, lbr", pt_call_graph_parse),
	{ 0 }
};

int pt_call_graph_parse(void *graph, const char *arg, struct pt_err *e)
{
	struct pt_call_graph *g = graph;

	g->wanted = true;
	if (!strcmp(arg, "fp") || !strcmp(arg, "lbr") || !strcmp(arg, "dwarf")) {
		g->how = arg;
		return 0;
	}
	if (strncmp(arg, "dwarf,", 6))
		return pt_err_set(e, "'%s' is none of fp, dwarf, dwarf,BYTES, lbr", arg);
	g->how = "dwarf";
	if (pt_num_size(arg + 6, UINT32_MAX, &g->stack_bytes, e) < 0)
		return -1;
	if (!g->stack_bytes || g->stack_bytes > PT_CALL_GRAPH_MAX_BYTES)
		return pt_err_set(e, "%s bytes of stack: the kernel copies 8 to %d", arg + 6,
				  PT_CALL_GRAPH_MAX_BYTES);
	return 0;
}

void pt_call_graph_watch(const struct pt_call_graph *g, struct pt_watch *w)
{
	if (!g->wanted)
		return;
	w->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (!strcmp(g->how, "dwarf")) {
		w->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		w->stack_bytes =
			(uint32_t)((g->stack_bytes ? g->stack_bytes : PT_CALL_GRAPH_BYTES) + 7) &
			~7u;
		w->user_chain = true;
	} else if (!strcmp(g->how, "lbr")) {
		w->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		w->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
	}
}
