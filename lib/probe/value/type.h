/* type.h - types of variables by DWARF (libdw) or BTF (libbpf): what kind a value is, its size and
 * sign, members, elements, and its name as the language writes it.
 *
 * A type refers to a libdw entry or a BTF id, whose Dwarf or BTF must outlive it. The debug
 * information is not trusted: chains of typedefs, bases and members have limits, sizes are
 * bounded, and a type that makes no sense has kind UNKNOWN. Source: DWARF 5 chapter 5 (2.13 and
 * 7.5 for attributes of older versions); btf.h. */
#ifndef PT_PROBE_VALUE_TYPE_H
#define PT_PROBE_VALUE_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct btf;

struct pt_type {
	Dwarf_Die die;			/* as it is written: a typedef, const ... */
	const struct btf *btf;		/* not NULL: type `id` of it, in place of `die` */
	uint32_t id;
	bool none;			/* void */
	uint8_t address_of;		/* pointers to it that `&v` made, without an entry */
	uint8_t dims;			/* of an array: dimensions that are indexed already */
};

enum pt_type_kind {
	PT_TYPE_UNKNOWN,		/* damaged, or no type that a value can have */
	PT_TYPE_VOID,
	PT_TYPE_INTEGER,		/* also bool, characters, enumerations, addresses */
	PT_TYPE_FLOAT,			/* also complex and decimal numbers */
	PT_TYPE_POINTER,		/* also to functions and to data members of C++ */
	PT_TYPE_REFERENCE,		/* of C++ */
	PT_TYPE_STRUCT,			/* also classes and unions */
	PT_TYPE_ARRAY,
	PT_TYPE_FUNCTION,
};

struct pt_type_info {
	enum pt_type_kind kind;
	/* 0: not known (an incomplete structure, an array without bounds) */
	uint64_t size_bytes;
	bool is_signed, is_char, is_bool, is_union;
	bool is_real;			/* neither complex nor decimal */
	bool is_member;			/* a pointer to a member: an offset */
	bool to_user;			/* a kernel's pointer to user space (BTF's tag) */
	struct pt_type target;		/* of a pointer or reference; of an array: its element */
	uint64_t nr;			/* elements of an array, 0: not known */
	int64_t lower;			/* index of the first element */
	/* an array that is not laid out as in C: by columns, with gaps, by a descriptor */
	bool odd;
	/* without typedefs and qualifiers; a declared structure's definition */
	struct pt_type bare;
	bool incomplete;		/* a structure that is declared, not defined */
};

/* The type that an entry's DW_AT_type names; void if it has none. */
void pt_type_of(Dwarf_Die *die, struct pt_type *t);
/* Never fails: kind UNKNOWN. */
void pt_type_info(const struct pt_type *t, struct pt_type_info *i);
/* Looks for an incomplete structure's definition in another Dwarf (a split unit's). */
bool pt_type_complete(struct pt_type_info *i, Dwarf *dw);
/* "struct inode *", "char [16]", "int (*)(void)", "ns::list<int>"; "?" if it is not known.
 * `language` (DW_LANG_*): of the variable's unit, for types in units without a language. */
void pt_type_name(const struct pt_type *t, int language, struct pt_buf *b);

struct pt_type_member {
	struct pt_type type;
	uint64_t off;			/* from the structure's start, in bytes */
	/* a bit field: its bits, and how many bits of that byte precede it (counted from the least
	 * significant bit, on big-endian CPUs from the most significant) */
	uint32_t bit_bytes_off, bits;
	Dwarf_Die die;
	bool is_static;			/* a variable of the class: its entry is `die` */
};

enum pt_type_found { PT_TYPE_FOUND, PT_TYPE_NO_MEMBER, PT_TYPE_VIRTUAL_BASE, PT_TYPE_TWICE };
/* A member by name, also in structures without name and in base classes. */
enum pt_type_found pt_type_member(const struct pt_type_info *i, const char *name,
				  struct pt_type_member *m);
/* Of a DW_TAG_member. */
enum pt_type_found pt_type_member_entry(Dwarf_Die *die, struct pt_type_member *m);
/* Up to `max_names` names of members, for messages: "a, b, c, ...". */
void pt_type_members(const struct pt_type_info *i, struct pt_buf *b, unsigned max_names);

/* DW_AT_name of an entry or of its origin; NULL. */
const char *pt_type_die_name(Dwarf_Die *die);
/* DW_LANG_*, -1: not known. */
int pt_type_language(Dwarf_Die *die);
/* The next child of `parent` after *d (with d->addr NULL: the first). False: none is left, or
 * *left, the limit of entries to visit, is used up. */
bool pt_die_next(Dwarf_Die *parent, Dwarf_Die *d, unsigned *left);
/* The entry that an attribute refers to; false: there is none. */
bool pt_die_ref(Dwarf_Die *die, unsigned attr, Dwarf_Die *to);
/* A namespace, a structure, a class or a union. */
bool pt_type_is_scope(int tag);
/* The entries that enclose one, from the outermost (below the unit's) to itself. Returns their
 * number, 0 if it is not found or too deep. (libdw's dwarf_getscopes_die() recurses.) */
unsigned pt_type_around(const Dwarf_Die *die, Dwarf_Die *path, unsigned max);
/* An attribute that is a constant, sign-extended if its form is signed; false: there is none. */
bool pt_type_const(Dwarf_Die *die, unsigned attr, int64_t *v);

#endif
