/* tp.h - tracepoints: their formats (fields by name) and their text.
 *
 * A pt_tp_db holds the formats of one machine: this one's, read from tracefs one event at a time
 * when first asked for, or those that a recording carries (tracing data: never mixed with this
 * machine's). Source of the format: tracefs events/SYS/NAME/format; in recordings the tracing-data
 * section, Documentation of trace-cmd's "tracing data" in tools/perf/util/trace-event-read.c. The
 * text of a sample is made by the event's print format, compiled into a flat program when it is
 * first printed; what cannot be compiled prints its fields as libtraceevent would, as
 * "NAME=VALUE ...". Formats are untrusted: bounds are checked, depth is limited.
 *
 * The db owns all pt_tp and pt_tp_field; pointers live until pt_tp_db_free(). */
#ifndef PT_TRACEPOINT_TP_H
#define PT_TRACEPOINT_TP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

struct pt_tp_db;

enum pt_tp_field_flags {
	PT_TP_SIGNED = 1,
	PT_TP_ARRAY = 2,		/* char[16], u32[4] */
	PT_TP_STRING = 4,		/* of chars, or declared as a string */
	/* __data_loc: u32 holding offset (low 16) and length (high 16) of the data in the record */
	PT_TP_DYNAMIC = 8,
	PT_TP_RELATIVE = 16, /* __rel_loc: the offset counts from the end of this field */
	PT_TP_POINTER = 32,
	/* long or unsigned long: prints as a word of the recorded machine */
	PT_TP_LONG = 64,
	PT_TP_FLOAT = 128,		/* of a probe: the bits of a floating-point number */
};

enum {
	PT_TP_GUARDS = 2,		/* of one field */
	PT_TP_GUARD_BYTES = 32, /* bytes of a guard's name with its NUL: the kernel's limit */
};

/* Fields of a probe that tell how the field NAME is to be shown: __len_NAME, the length of its text
 * (a string that a probe fetches goes on to the next zero byte); __flt_NAME, a floating-point
 * number. */
#define PT_TP_LENGTH_OF "__len_"
#define PT_TP_FLOAT_OF "__flt_"

/* Printed in place of a value that the kernel could not read. */
#define PT_TP_FAULT "(fault)"

struct pt_tp_field {
	const char *name;
	const char *type;		/* as declared: "unsigned int", "char" */
	uint32_t off;			/* bytes from the start of the raw record */
	uint32_t size_bytes;
	uint32_t elem_bytes;		/* of an array's element; else size_bytes */
	uint32_t flags;
	/* Of a probe: fields of strings whose length is 0 if the value could not be read. */
	uint16_t guards[PT_TP_GUARDS];
	/* offset of the next dynamic field behind the guard; 0: it is the last */
	uint16_t after_guards[PT_TP_GUARDS];
	uint16_t nr_guards;
	uint16_t length_off, length_bytes;	/* of __len_NAME; length_bytes 0: there is none */
};

struct pt_tp {
	int id;				/* attr.config of its perf event */
	const char *system;		/* "block" */
	const char *name;		/* "block_rq_issue" */
	const struct pt_tp_field *fields;	/* common_* ones first, in the format's order */
	size_t nr_fields;		/* without the guards, which follow them */
	size_t nr_guards;
	size_t nr_common;		/* number of common_* fields */
	const char *print_fmt;		/* as in the format file */
	struct pt_tp_db *db;
};

/* This machine's formats, from its tracefs (pt_tracefs_find()). Nothing is read yet. */
struct pt_tp_db *pt_tp_db_new_at(const char *tracefs);
/* An empty one for a recording's formats. swap: foreign byte order; bytes of a long there (4 or 8).
 */
struct pt_tp_db *pt_tp_db_new(bool swap, int long_bytes);
void pt_tp_db_free(struct pt_tp_db *db);

/* Adds one format file's text. A damaged format spoils only itself. */
int pt_tp_db_add_format(struct pt_tp_db *db, const char *system, const char *text, size_t len,
			struct pt_err *e);
/* printk formats ("0xADDR : "TEXT"" lines) and saved task names ("PID NAME" lines) of the recorded
 * machine; kallsyms ("ADDR T NAME") for %ps. */
void pt_tp_db_add_printk(struct pt_tp_db *db, const char *text, size_t len);
void pt_tp_db_add_kallsyms(struct pt_tp_db *db, const char *text, size_t len);
/* The recording is of this machine and boot: /proc/kallsyms is read when a symbol is first needed.
 */
void pt_tp_db_use_local_kallsyms(struct pt_tp_db *db);
/* Before a live session prints: compiles the known formats, and reads the kernel's symbols if they
 * print some, which would take too long within the session. */
void pt_tp_db_prepare(struct pt_tp_db *db);
/* The whole tracing-data section of a recording (as perf and trace-cmd write it), which contains
 * its byte order and long size. */
int pt_tp_db_add_tracing_data(struct pt_tp_db *db, const void *data, size_t len, struct pt_err *e);

/* NULL: none; this machine's db reads the format file now. */
const struct pt_tp *pt_tp_db_find(struct pt_tp_db *db, const char *system, const char *name,
				  struct pt_err *e);
/* Of the formats that were read so far. */
const struct pt_tp *pt_tp_db_by_id(const struct pt_tp_db *db, int id);
/* All formats of a recording, in order of arrival. */
size_t pt_tp_db_nr(const struct pt_tp_db *db);
const struct pt_tp *pt_tp_db_at(const struct pt_tp_db *db, size_t i);
bool pt_tp_db_swap(const struct pt_tp_db *db);
int pt_tp_db_long_bytes(const struct pt_tp_db *db);

const struct pt_tp_field *pt_tp_field(const struct pt_tp *tp, const char *name);

/* The place of a number or of text in raw records, as events that are read by the million need it:
 * its end is compared once, the rest are direct loads. */
struct pt_tp_place {
	uint32_t off;
	uint32_t size_bytes;		/* 0: the event has none */
	bool is_signed, is_dynamic;
};
static inline bool pt_tp_is_number(const struct pt_tp_field *f)
{
	return f && !(f->flags & (PT_TP_ARRAY | PT_TP_STRING | PT_TP_DYNAMIC)) &&
	       pt_is_number_size(f->size_bytes);
}
/* *need_bytes grows to the field's end. Fields with impossible offsets have no place. */
struct pt_tp_place pt_tp_place(const struct pt_tp_field *f, uint32_t *need_bytes);
static inline uint64_t pt_tp_load(const struct pt_tp_place *p, const void *raw, bool swap)
{
	return pt_load_number((const uint8_t *)raw + p->off, p->size_bytes, p->is_signed, swap);
}

/* The rules are in tp_guard.c. The name of a value's guard; false: it is too long. */
bool pt_tp_guard_name(unsigned which, const char *name, char text[PT_TP_GUARD_BYTES]);
bool pt_tp_is_guard(const char *name);
bool pt_tp_is_companion(const char *name);	/* __len_NAME, __flt_NAME */
bool pt_tp_guards_fault(const struct pt_tp_field *f, const void *raw, size_t len, bool swap);
/* True: the kernel could not read the value in this record; the field holds another record's. */
static inline bool pt_tp_faulted(const struct pt_tp_field *f, const void *raw, size_t len,
				 bool swap)
{
	return f->nr_guards && pt_tp_guards_fault(f, raw, len, swap);
}

/* An integer field of 1, 2, 4 or 8 bytes, sign-extended if signed. False: the record is too short,
 * it is no integer, or the kernel could not read it. */
static inline bool pt_tp_value(const struct pt_tp_field *f, const void *raw, size_t len, bool swap,
			       uint64_t *v)
{
	if ((size_t)f->off + f->size_bytes > len || pt_tp_faulted(f, raw, len, swap) ||
	    !pt_is_number_size(f->size_bytes))
		return false;
	*v = pt_load_number((const uint8_t *)raw + f->off, f->size_bytes, f->flags & PT_TP_SIGNED,
			    swap);
	return true;
}

/* The bytes of a string, array or dynamic field; a string ends before its NUL. False: they are not
 * within the record, or the kernel could not read them. */
bool pt_tp_data(const struct pt_tp_field *f, const void *raw, size_t len, bool swap, const void **p,
		size_t *n);

/* The number of a field with PT_TP_FLOAT, from its bits (pt_tp_value()). */
double pt_tp_float(const struct pt_tp_field *f, uint64_t bits);

/* The sample's text as perf script prints it behind "event: ", without a newline. Control
 * characters are not escaped. */
void pt_tp_print(const struct pt_tp *tp, const void *raw, size_t len, struct pt_buf *out);

/* function_graph's call of a function, and the return of one. pt_tp_is_leaf(): that is the return
 * of this call; if nothing came in between, pt_tp_print_leaf() shows both as one line. */
struct pt_tp_call {
	const struct pt_tp *tp;
	const void *raw;
	size_t len;
};
bool pt_tp_is_call(const struct pt_tp *tp);
bool pt_tp_is_leaf(const struct pt_tp_call *call, const struct pt_tp_call *back);
void pt_tp_print_leaf(const struct pt_tp_call *call, const struct pt_tp_call *back,
		      struct pt_buf *out);

#endif
