/* callgraph.h - `--call-graph fp | dwarf[,BYTES] | lbr`: how live stacks are taken.
 *
 *     // an option's call: pt_call_graph_parse(&a->call_graph, arg, e)
 *     struct args { struct pt_call_graph call_graph; ... };
 *     pt_call_graph_watch(&a.call_graph, &watch); */
#ifndef PT_CLI_CALLGRAPH_H
#define PT_CLI_CALLGRAPH_H

#include <stdint.h>

#include "base/err.h"
#include "record/session.h"

/* of a stack copied: unless given, the kernel's limit */
enum { PT_CALL_GRAPH_BYTES = 16 << 10, PT_CALL_GRAPH_MAX_BYTES = 65528 };

struct pt_call_graph {
	const char *how;		/* "fp", "dwarf", "lbr"; NULL: no stacks */
	uint64_t stack_bytes;		/* 0: PT_CALL_GRAPH_BYTES */
};

int pt_call_graph_parse(struct pt_call_graph *g, const char *arg, struct pt_err *e);
void pt_call_graph_watch(const struct pt_call_graph *g, struct pt_watch *w);

#endif
