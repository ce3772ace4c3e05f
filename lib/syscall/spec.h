/* spec.h - the arguments of system calls, a row of text a call:
 *
 *     { "read", "fd:fd buf:<str@ret count:lu" }
 *
 * An argument is NAME:TYPE. A type that begins with > is memory that the call reads (fetched at its
 * entry), < memory that it writes (fetched at its exit if it succeeds), = both. @ says how many
 * elements: an argument's number, `ret`, or *N: the number that argument N points to. |TABLE and
 * #TABLE are flags and constants of flags.def; other words are rows of the table of types.
 * Source: the kernel's include/linux/syscalls.h. */
#ifndef PT_SYSCALL_SPEC_H
#define PT_SYSCALL_SPEC_H

#include "syscall/call.h"

struct pt_text;
struct pt_value;

/* How a value is written: of a register (`number`), or of memory (`bytes`, `len`). */
struct pt_value {
	uint64_t number;
	const uint8_t *bytes;
	size_t len;
	bool cut;			/* there is more than was read */
	bool counted;			/* it does not end at a NUL */
	int arg;
};

struct pt_type {
	const char *name;
	uint16_t size;			/* in memory; of what is counted by @ an element's */
	uint8_t fetch;			/* enum pt_fetch_kind; 0: BYTES */
	void (*print)(struct pt_text *t, const struct pt_value *v);
};

struct pt_arg {
	char name[24];
	const struct pt_type *type;	/* NULL: a table of flags or constants */
	const struct pt_flag_table *table;
	bool constant;			/* the table's */
	char direction;			/* 0, '<', '>', '=' */
	bool counted;
	enum pt_fetch_count count;
	int count_arg;
};

struct pt_spec {
	struct pt_arg args[PT_CALL_ARGS];
	int nr;				/* of arguments */
	char result;			/* 'p' an address, 'o' octal; 0: a number */
};

/* Parses the row of a call. False: it has none (its arguments are numbers), or the row is wrong. */
bool pt_spec_parse(const char *name, struct pt_spec *s);
/* The name of the i-th row; NULL: behind the last. */
const char *pt_spec_name(size_t i);
/* What to fetch for a call. `text_max`: bytes of strings and buffers that are wanted. */
void pt_spec_plan(const struct pt_spec *s, uint16_t text_max, struct pt_plan *plan);

extern const struct pt_type pt_types[];	/* text_types.c; ends with name NULL */

#endif
