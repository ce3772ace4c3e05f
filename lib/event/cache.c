/* cache.c - names of cache events: CACHE[-OP][-RESULT], config is cache | op << 8 | result << 16 */
#include "event/sysname.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* The first spelling is the shown one. */
struct word {
	const char *names[6];
	const char *what;
	const char *plural;	/* of an operation without a result */
	unsigned ops;		/* of a cache: its operations */
};

enum { READ = 1, WRITE = 2, PREFETCH = 4 };

static const struct word caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, "the first data cache", NULL, READ | WRITE | PREFETCH },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, "the first instruction cache", NULL, READ | PREFETCH },
	{ { "LLC", "L2" }, "the last cache", NULL, READ | WRITE | PREFETCH },
	{ { "dTLB", "d-tlb", "Data-TLB" }, "the TLB of data", NULL, READ | WRITE | PREFETCH },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, "the TLB of instructions", NULL, READ },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, "the branch predictor", NULL, READ },
	{ { "node" }, "the memory of the CPU's own node", NULL, READ | WRITE | PREFETCH },
};

static const struct word ops[] = {
	{ { "load", "loads", "read" }, "loads from", "loads", 0 },
	{ { "store", "stores", "write" }, "stores to", "stores", 0 },
	{ { "prefetch", "prefetches", "speculative-read", "speculative-load" }, "prefetches into", "prefetches", 0 },
};

static const struct word results[] = {
	{ { "refs", "Reference", "ops", "access" }, "", NULL, 0 },
	{ { "misses", "miss" }, " that missed", NULL, 0 },
};

/* The index of the word that s begins with, up to its end or a dash; the longest spelling wins
 * ("branches" over "branch"). -1: none. */
static int begins(const struct word *words, size_t nr, const char **s)
{
	size_t best = 0;
	int found = -1;

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < PT_NR(words[i].names) && words[i].names[k]; k++) {
			size_t len = strlen(words[i].names[k]);

			if (len > best && !strncasecmp(*s, words[i].names[k], len) &&
			    (!(*s)[len] || (*s)[len] == '-')) {
				best = len;
				found = (int)i;
			}
		}
	if (found >= 0)
		*s += best + ((*s)[best] == '-' && (*s)[best + 1]);
	return found;
}

bool pt_cache_find(const char *name, uint64_t *config)
{
	int cache = begins(caches, PT_NR(caches), &name), op = -1, result = -1;

	if (cache < 0)
		return false;
	while (*name) {		/* one of each, in any order */
		if (op < 0 && (op = begins(ops, PT_NR(ops), &name)) >= 0)
			continue;
		if (result < 0 && (result = begins(results, PT_NR(results), &name)) >= 0)
			continue;
		return false;
	}
	op = op < 0 ? 0 : op;
	if (!(caches[cache].ops & 1u << op))
		return false;
	*config = (uint64_t)cache | (uint64_t)op << 8 | (uint64_t)(result > 0) << 16;
	return true;
}

void pt_cache_name_of(uint64_t config, struct pt_buf *name)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, miss = config >> 16;

	if (cache < PT_NR(caches) && op < PT_NR(ops) && miss < 2)
		pt_buf_printf(name, "%s-%s%s", caches[cache].names[0],
			      miss ? ops[op].names[0] : ops[op].plural, miss ? "-misses" : "");
}

bool pt_cache_name(size_t i, struct pt_buf *name, struct pt_buf *what)
{
	for (size_t cache = 0; cache < PT_NR(caches); cache++)
		for (size_t op = 0; op < PT_NR(ops); op++)
			for (size_t miss = 0; miss < 2; miss++) {
				if (!(caches[cache].ops & 1u << op) || i--)
					continue;
				pt_cache_name_of(cache | op << 8 | miss << 16, name);
				pt_buf_printf(what, "%s %s%s", ops[op].what, caches[cache].what,
					      results[miss].what);
				return true;
			}
	return false;
}
