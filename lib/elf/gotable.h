/* gotable.h - the table of functions that Go's linker puts into every program, also a stripped one,
 * for its own tracebacks: names, files, lines, inlined functions, and how far the stack pointer is
 * below its value at the function's entry.
 *
 * It is in the section .gopclntab; in position-independent programs perhaps within .data.rel.ro.
 * The forms of Go 1.2, 1.16, 1.18 and 1.20 are read. Strings are in the mapped file. Source of the
 * format: "Go 1.2 Runtime Symbol Information" (golang.org/s/go12symtab), and Go's runtime/symtab.go
 * and runtime2.go (struct _func) of those versions. */
#ifndef PT_ELF_GOTABLE_H
#define PT_ELF_GOTABLE_H

#include "elf/object.h"

struct pt_gofunction {
	uint64_t entry, end;		/* vaddr: [entry, end) */
	const char *name;		/* "main.main"; "": unreadable */
	uint32_t name_off;		/* for pt_gotable_name() */
	const uint8_t *info;		/* struct _func behind its entry, up to the table's end */
	uint64_t info_bytes;
};

struct pt_gotable;
/* Made at first use, freed with the object. NULL: it has none, or none that can be read. */
const struct pt_gotable *pt_gotable_of(struct pt_object *o);
size_t pt_gotable_nr(const struct pt_gotable *t);
/* By address. False: it is damaged. */
bool pt_gotable_at(const struct pt_gotable *t, size_t i, struct pt_gofunction *f);
bool pt_gotable_find(const struct pt_gotable *t, uint64_t vaddr, struct pt_gofunction *f);
/* Valid as long as the object; "": unreadable. */
const char *pt_gotable_name(const struct pt_gotable *t, uint32_t name_off);

/* Bytes from the stack pointer up to where it was at the entry. False: unknown. */
bool pt_gotable_depth(const struct pt_gotable *t, const struct pt_gofunction *f, uint64_t vaddr,
		      int32_t *bytes);
struct pt_goframe {
	const char *name;
	const char *file;		/* "": unknown */
	uint32_t line;			/* 0: unknown */
};
/* The functions at vaddr with their lines, innermost first; the last one, f, is not inlined. Which
 * ones are inlined is known from Go 1.18 on. */
size_t pt_gotable_frames(const struct pt_gotable *t, const struct pt_gofunction *f, uint64_t vaddr,
			 struct pt_goframe *out, size_t max);

#endif
