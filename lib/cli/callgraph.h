/* callgraph.h - `--call-graph fp | dwarf[,BYTES] | lbr`: how live stacks are taken.
 *
 *     static struct args { struct pt_call_graph call_graph; ... }
 *             a = { .call_graph = { .how = "fp" } };
 *     PT_ROW_FLAG('g', NULL, "call chains", call_graph.wanted),
 *     PT_ROW_CALL_GRAPH("how they are taken: fp (unless given), dwarf[,BYTES], lbr"),
 *     pt_call_graph_watch(&a.call_graph, &watch); */
#ifndef PT_CLI_CALLGRAPH_H
#define PT_CLI_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "record/watch/session.h"

/* of a stack copied: unless given, the kernel's limit */
enum { PT_CALL_GRAPH_BYTES = 16 << 10, PT_CALL_GRAPH_MAX_BYTES = 65528 };

struct pt_call_graph {
	bool wanted;			/* also set by --call-graph */
	const char *how;		/* "fp", "dwarf", "lbr" */
	uint64_t stack_bytes;		/* 0: PT_CALL_GRAPH_BYTES */
};

/* Rows of tools whose struct args has `call_graph`. */
#define PT_ROW_CALL_GRAPH(help_) \
	PT_ROW(0, "call-graph", "HOW", help_, PT_OPT_CALL, call_graph, \
	       .call = pt_call_graph_parse, .list = "fp, dwarf, lbr")
#define PT_ROW_STACK_SIZE(help_) \
	PT_ROW(0, "stack-size", "BYTES", help_, PT_OPT_SIZE, call_graph.stack_bytes, .min = 1, \
	       .max = PT_CALL_GRAPH_MAX_BYTES)

/* Both, in the group "Live, stacks" of tools that read stacks by default. */
extern const struct pt_opt pt_opts_call_graph[];

/* `graph`: a struct pt_call_graph. */
int pt_call_graph_parse(void *graph, const char *arg, struct pt_err *e);
void pt_call_graph_watch(const struct pt_call_graph *g, struct pt_watch *w);

#endif
