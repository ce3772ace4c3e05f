/* type.h - types of variables as DWARF tells them: what kind a value is, its size and sign,
 * members, elements, and its name as the language writes it.
 *
 * A type is an entry of libdw's, whose Dwarf must live as long; "void" has no entry. Nothing that
 * the debug information says is trusted: chains of typedefs, bases and members are followed so far
 * and no further, sizes are bounded, and what makes no sense has no kind. Source: DWARF 5 chapter 5
 * (2.13 and 7.5 for attributes of older versions). */
#ifndef PT_PROBE_VALUE_TYPE_H
#define PT_PROBE_VALUE_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct pt_type {
	Dwarf_Die die;			/* as it is written: a typedef, const ... */
	bool none;			/* void: no entry */
	/* so many pointers to it, that have no entry of their own (`&v`) */
	uint8_t address_of;
	uint8_t dims;			/* of an array: so many dimensions are indexed already */
};

enum pt_type_kind {
	PT_TYPE_UNKNOWN,		/* damaged, or nothing that a value could have */
	PT_TYPE_VOID,
	/* also bool, characters, enumerations, addresses: `is_signed` tells */
	PT_TYPE_INTEGER,
	PT_TYPE_FLOAT,			/* complex and decimal ones too */
	/* also to functions, and to data members of C++ (an offset: is_member) */
	PT_TYPE_POINTER,
	PT_TYPE_REFERENCE,		/* of C++: a pointer that is followed by itself */
	PT_TYPE_STRUCT,			/* class, union */
	PT_TYPE_ARRAY,
	PT_TYPE_FUNCTION,
};

struct pt_type_info {
	enum pt_type_kind kind;
	/* 0: not known (an incomplete structure, an array without bounds) */
	uint64_t size_bytes;
	bool is_signed, is_char, is_bool, is_enum, is_union;
	bool is_member;			/* a pointer to a member */
	/* of a pointer, reference: what it points to; of an array: its element */
	struct pt_type target;
	uint64_t nr;			/* elements of an array, 0: not known */
	int64_t lower;			/* index of its first one */
	/* an array whose elements are not where C would have them: by columns, with gaps, behind a
	 * descriptor */
	bool odd;
	/* without typedefs and qualifiers; of a structure that is only declared here: where it is
	 * defined */
	Dwarf_Die die;
	bool incomplete;		/* a structure that is declared, not defined */
};

/* The type that an entry's DW_AT_type names; of none: void. */
void pt_type_of(Dwarf_Die *die, struct pt_type *t);
/* Never fails: kind UNKNOWN. */
void pt_type_info(const struct pt_type *t, struct pt_type_info *i);
/* An incomplete structure's definition among the units of another Dwarf than its own (a split unit
 * has one). */
bool pt_type_complete(struct pt_type_info *i, Dwarf *dw);
/* "struct inode *", "char [16]", "int (*)(void)", "ns::list<int>"; "?" where it cannot be told.
 * `language`: of the unit whose variable it is (DW_LANG_*), for types in units that do not say
 * theirs. */
void pt_type_name(const struct pt_type *t, int language, struct pt_buf *b);

struct pt_type_member {
	struct pt_type type;
	/* bytes from the start of the structure; of a bit field, where the byte of its first bit is
	 */
	uint64_t off;
	/* a bit field: bits, and how many bits it lies behind `off` (from the least significant
	 * one; of big-endian CPUs from the most) */
	uint32_t bit_bytes_off, bits;
	Dwarf_Die die;
	bool is_static;			/* a variable of the class: its entry is `die` */
};

enum pt_type_found { PT_TYPE_FOUND, PT_TYPE_NO_MEMBER, PT_TYPE_VIRTUAL_BASE, PT_TYPE_TWICE };
/* A member by name, also of structures without name in it and of base classes. `big_endian` is the
 * target's. */
enum pt_type_found pt_type_member(const struct pt_type_info *i, const char *name, bool big_endian,
				  struct pt_type_member *m);
/* What a DW_TAG_member says of itself. */
enum pt_type_found pt_type_member_entry(Dwarf_Die *die, bool big_endian, struct pt_type_member *m);
/* Names of members, up to `max_names` of them: "a, b, c, ..."; for messages. */
void pt_type_members(const struct pt_type_info *i, struct pt_buf *b, unsigned max_names);

/* DW_AT_name of an entry or of what it stems from; NULL. */
const char *pt_type_die_name(Dwarf_Die *die);
/* DW_LANG_*, -1: not told. */
int pt_type_language(Dwarf_Die *die);
/* The entries around one, outermost (below the unit's) first, itself last: the number of them, 0:
 * it is not found, or too deep. In constant stack, unlike libdw's. */
unsigned pt_type_around(const Dwarf_Die *die, Dwarf_Die *path, unsigned max);
/* An attribute that is a constant; false: it is not there or none. Signed forms are extended. */
bool pt_type_const(Dwarf_Die *die, unsigned attr, int64_t *v);

#endif
