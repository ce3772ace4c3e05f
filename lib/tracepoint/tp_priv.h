/* tp_priv.h - what the files of the tracepoint formats (tp*.c, tracing.c) share; nobody else
 * includes it.
 *
 * tp.c holds the db, tp_format.c reads a format file into fields (by libtraceevent). tp_lex.c,
 * tp_call.c and tp_parse.c make a tree of its print format (words, what looks like function calls,
 * expressions), tp_compile.c a flat program of that tree. tp_run.c, with tp_eval.c, tp_text.c and
 * tp_pointer.c, runs it over a record; tp_fields.c prints a record without it, tp_ftrace.c those of
 * ftrace itself. tp_guard.c tells which values of a probe the kernel could not read, tp_filter.c
 * which records are wanted. tp_symbols.c knows the kernel's symbols, tracing.c takes a recording's
 * tracing data apart. */
#ifndef PT_TRACEPOINT_TP_PRIV_H
#define PT_TRACEPOINT_TP_PRIV_H

#include "base/arena.h"
#include "base/diskcache.h"
#include "base/ksyms.h"
#include "base/map.h"
#include "tracepoint/tp.h"

enum {
	PT_TP_MAX_TEXT = 1 << 20,	/* bytes of one format file */
	PT_TP_MAX_FIELDS = 2048,
	PT_TP_MAX_RECORD = 1 << 20,	/* where a field may end; the kernel's own limit is 64 KB */
};

/* A format and its memory. */
struct pt_tp_entry {
	struct pt_tp tp;		/* the first: pt_tp_prog_of() */
	struct pt_arena arena;
	bool is_ftrace;			/* an event of ftrace itself */
	bool compiled;			/* pt_tp_prog_of() has tried */
	struct pt_tp_prog *prog;
};

struct pt_tp_db {
	struct pt_tp_entry **entries;
	size_t nr, cap;
	struct pt_map by_id;		/* id -> index + 1 */
	struct pt_map by_name;		/* hash of "system:name" -> index + 1 */
	/* of the local db; NULL: a recording's */
	struct tracefs_instance *tracefs;
	struct pt_names *names;
	struct pt_map printk;		/* address -> text */
	struct pt_ksyms *symbols;	/* NULL: not needed yet */
	char *kallsyms;			/* of a recording, not read yet; NULL: none */
	size_t kallsyms_len;
	struct pt_diskcache *keep;
	bool local_symbols;		/* /proc/kallsyms is of the recorded kernel */
	bool wants_symbols;		/* a format prints some */
	bool may_keep;			/* no session is running */
	bool swap;
	int long_bytes;
};

/* Parses one format file's text. NULL: unreadable; e says why. */
struct pt_tp_entry *pt_tp_format_parse(struct pt_tp_db *db, const char *system, const char *text,
				       size_t len, struct pt_err *e);
void pt_tp_entry_free(struct pt_tp_entry *t);

/* tp_guard.c: removes the guards from the fields and links them to their values. */
void pt_tp_find_guards(struct pt_tp *tp);
/* tp.c: print formats name the guards, too. */
const struct pt_tp_field *pt_tp_field_or_guard(const struct pt_tp *tp, const char *name);

/* tp.c: the field's own bytes; those of a dynamic field are elsewhere in the record, at its u32
 * number `which`. False: they are not within the record. */
bool pt_tp_bytes(const struct pt_tp_field *f, size_t which, const void *raw, size_t len, bool swap,
		 const uint8_t **p, size_t *n);

/* Prints every field as " NAME=VALUE" by its type: for formats whose print format cannot be
 * compiled. */
void pt_tp_print_fields(const struct pt_tp *tp, const void *raw, size_t len, struct pt_buf *out);

#endif
