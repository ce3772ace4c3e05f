/* spec.h - the arguments of system calls, a line of spec.def a call:
 *
 *     read fd:fd buf:<str@ret count:lu
 *     umask mask:mode -> octal
 *
 * An argument is NAME:TYPE. A type that begins with > is memory that the call reads (fetched at its
 * entry), < memory that it writes (fetched at its exit if it succeeds), = both. @ says how many
 * elements: an argument's number, `ret`, *N: the number that argument N points to, =N: N of them.
 * |TABLE and #TABLE are flags and constants of flags.def; other words are types (text_types.c).
 * Behind -> is the way to write a result (text_result.c); without, it is a number.
 * Members of structures are written in the same way, with *N behind the type of an array and /N
 * behind a table of other than 4 bytes; a member without a name writes its own.
 * Source: the kernel's include/linux/syscalls.h, include/uapi.
 *
 * A call that differs on a CPU has a row NAME/MACHINE, or NAME/32 for 32-bit programs (i386). For
 * these a type TYPE is TYPE32, if that exists. Their calls NAME64, NAME_time64 and NAME32 without a
 * row are NAME, with the types of 64-bit programs for times. */
#ifndef PT_SYSCALL_SPEC_H
#define PT_SYSCALL_SPEC_H

#include "syscall/call.h"

struct pt_text;
struct pt_value;

/* A value to be written: of a register (`number`), or of memory (`bytes`, `len`). */
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
	/* in memory; of what is counted by @ an element's; UINT16_MAX: bits in words of 8 bytes */
	uint16_t size;
	uint8_t fetch;			/* enum pt_fetch_kind; 0: BYTES */
	bool number;			/* of a register; in memory it is an array, in [] */
	bool bare;			/* `print` is called without memory, too */
	void (*print)(struct pt_text *t, const struct pt_value *v);
	const char *members;		/* of a structure: instead of `print` */
	uint8_t alignment;		/* of a member; 0: a structure has its members' */
};

struct pt_arg {
	char name[24];
	const struct pt_type *type;	/* NULL: a table of flags or constants */
	const struct pt_flag_table *table;
	bool constant;			/* the table's */
	char direction;			/* 0, '<', '>', '=' */
	bool counted;
	enum pt_fetch_count count;
	int count_arg;			/* PT_COUNT_ONE and counted: how many */
	uint16_t size;			/* of a member, all of it */
	uint16_t at;			/* of a member in its structure */
};

enum { PT_MEMBERS = 16 };
struct pt_spec {
	struct pt_arg args[PT_MEMBERS];
	int nr;
	bool compat;			/* types are those of 32-bit programs */
	/* How the result is written. NULL: as a number, in decimal. */
	const struct pt_result *result;
};

/* Parses the row of a call. False: it has none (its arguments are numbers), or the row is wrong.
 * machine: as uname -m says it, or PT_SPEC_COMPAT: of a 32-bit program. NULL: any. */
#define PT_SPEC_COMPAT "32"
bool pt_spec_parse(const char *name, const char *machine, struct pt_spec *s);
/* Parses the members of a structure. */
bool pt_spec_parse_members(const struct pt_type *type, struct pt_spec *s);
static inline const char *pt_call_machine(const struct pt_call *c)
{
	return c->compat ? PT_SPEC_COMPAT : c->machine;
}

/* What to fetch for a call. `text_max`: bytes of strings and buffers that are wanted. */
void pt_spec_plan(const struct pt_spec *s, uint16_t text_max, struct pt_plan *plan);

/* NULL: there is none. compat: its layout in 32-bit programs. */
const struct pt_type *pt_type_find(const char *name, size_t len, bool compat);

/* Ways to write a result: text_result.c; ends with name NULL. */
extern const struct pt_result {
	const char *name;
	void (*print)(struct pt_text *t);
	bool fd;			/* it is a descriptor, or may be one */
} pt_results[];

static inline bool pt_spec_returns_fd(const struct pt_spec *s)
{
	return s->result && s->result->fd;
}

#endif
