/* dwarf.h - reading DWARF 2 to 5 as symbols need it: sections, units, abbreviations, entries
 * (DIEs), names, ranges.
 *
 * A struct pt_dwarf is an object's debug information with its split units (.dwo files beside it, a
 * .dwp package), alternate (supplementary) file and type units. Sections are read in place;
 * compressed ones (SHF_COMPRESSED, .zdebug_*; zlib and zstd) are unpacked at their first use. Unit
 * headers are walked, and abbreviation tables compiled, as far as needed.
 *
 * Nothing is trusted: reads are bounded, references are followed a few steps, work and memory are
 * paid from budgets that grow with the file (base/budget.h). What cannot be read or paid is not
 * there. Strings live as long as the pt_dwarf. Offsets (`off`) count from the section's start.
 * Source: DWARF 5 chapter 7, DWARF 4 for .debug_ranges and .debug_types,
 * gcc.gnu.org/wiki/DebugFission and DebugFissionDWP for split units before DWARF 5; gABI chapter 4
 * "Section Compression". */
#ifndef PT_DWARF_DWARF_H
#define PT_DWARF_DWARF_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "elf/object.h"
#include "elf/packed.h"

enum pt_dw_section_id {
	PT_DW_INFO,
	PT_DW_TYPES,
	PT_DW_ABBREV,
	PT_DW_STR,
	PT_DW_LINE_STR,
	PT_DW_STR_OFFSETS,
	PT_DW_ADDR,
	PT_DW_RNGLISTS,
	PT_DW_RANGES,
	PT_DW_LINE,
	PT_DW_CU_INDEX,
	PT_DW_LOC,
	PT_DW_LOCLISTS,
	PT_DW_NR_SECTIONS
};

struct pt_dw_span { uint64_t lo, hi; };	/* the addresses from lo up to hi */

struct pt_dw_section {
	const uint8_t *data;		/* NULL: there is none, or it is still packed */
	uint64_t len;			/* unpacked; 0: there is none */
	struct pt_packed packed;	/* data NULL: not compressed, or unpacked */
	uint8_t *unpacked;		/* ours */
};

/* The attributes that are read, by their use. */
enum pt_dw_slot {
	PT_DW_NONE,
	PT_DW_LOW,
	PT_DW_HIGH,
	PT_DW_AT_RANGES,
	PT_DW_ORIGIN,
	PT_DW_SPEC,
	PT_DW_SIGNATURE,
	PT_DW_LINKAGE,
	PT_DW_NAME,
	PT_DW_SIBLING,
	PT_DW_CALL_FILE,
	PT_DW_CALL_LINE,
	PT_DW_DECLARATION,
	PT_DW_STMT_LIST,
	PT_DW_COMP_DIR,
	PT_DW_DWO_NAME,
	PT_DW_DWO_ID,
	PT_DW_ADDR_BASE,
	PT_DW_STR_BASE,
	PT_DW_RNG_BASE,
	PT_DW_GNU_RANGES_BASE,
	PT_DW_LANGUAGE,
	PT_DW_DECL_FILE,
	PT_DW_DECL_LINE,
	PT_DW_INLINE,
	PT_DW_ENTRY_PC,
	PT_DW_PRODUCER,
	PT_DW_LOCATION,
	PT_DW_ENTRY_VIEW,
	PT_DW_NR_SLOTS
};

/* Of a value, behind the code. No bytes: its place depends on other values, or there is none. */
struct pt_dw_place { uint32_t at; uint8_t bytes; };

struct pt_dw_abbrevs;
struct pt_dw_abbrev {
	uint16_t tag;
	bool children;
	struct pt_dw_place sibling;
	struct pt_dw_place name, linkage;	/* if they are offsets in .debug_str */
	bool fixed;			/* all attributes have a fixed size: `bytes` in all */
	uint32_t bytes;
	uint32_t attrs, nr_attrs;
	uint32_t have;			/* attributes, bits by slot */
	uint32_t cost;			/* of reading it, in units of the budget */
	uint64_t code;
};

struct pt_dw_units {			/* by offset, as far as the section was walked */
	struct pt_dw_unit **v;
	size_t nr, cap;
	uint64_t walked;
};

struct pt_dwarf;
struct pt_dw_file {			/* the object, its alternate file, a .dwo, the .dwp */
	struct pt_dwarf *dwarf;
	struct pt_object *object;
	bool swap, dwo;
	/* a .dwo with type units in section groups, which libdw skips */
	bool grouped;
	struct pt_dw_section sections[PT_DW_NR_SECTIONS];
	/* if a section occurs several times: all of .debug_info, of .debug_types */
	struct pt_buf joined[2];
	struct pt_dw_units units[2];	/* of .debug_info, of .debug_types */
	struct pt_map abbrevs;		/* struct pt_dw_abbrevs */
	struct pt_map signatures;	/* of type units: struct pt_dw_unit */
	bool knows_signatures;
	struct pt_dw_file *alt;
	bool tried_alt;
	uint64_t taken;			/* bytes of memory, from the object's budget */
	unsigned index;
};

struct pt_dw_unit {
	struct pt_dw_file *file;
	uint64_t off, end, first;	/* header, behind the last byte, root entry */
	uint64_t abbrev_off, id, type_off;	/* id: of a split unit, or a type's signature */
	uint16_t version;
	uint8_t type;			/* DW_UT_*, also before DWARF 5 (compile, type) */
	uint8_t address_bytes, offset_bytes;
	bool types;			/* is in .debug_types */
	bool opened, bad, tried_split;
	uint16_t language;
	struct pt_dw_abbrevs *abbrevs;
	uint64_t low_pc, addr_base, str_base, rng_base, gnu_ranges_base, stmt_list;
	bool has_low, has_stmt_list;
	const char *comp_dir, *dwo_name, *name;
	struct pt_dw_unit *split, *skeleton;
	/* where its part of these sections begins (.dwp) */
	uint64_t in_str_offsets, in_rnglists;
};

struct pt_dw_die {
	struct pt_dw_unit *unit;
	uint64_t off;
	uint16_t tag;
	bool children;
	uint32_t have;			/* bits by slot */
	uint16_t form[PT_DW_NR_SLOTS];
	uint64_t v[PT_DW_NR_SLOTS];	/* raw values; of inline strings their offset */
};

/* The section that a unit is in. */
static inline enum pt_dw_section_id pt_dw_section_of(const struct pt_dw_unit *u)
{
	return u->types ? PT_DW_TYPES : PT_DW_INFO;
}

struct pt_dw_name { const char *name; bool linkage; };

struct pt_dwarf {
	struct pt_dw_file *main;
	struct pt_dw_file **files;	/* all of them */
	size_t nr_files, cap_files;
	/* .dwo files by hash of device and inode */
	struct pt_map by_inode;
	struct pt_dw_file *package;	/* .dwp */
	bool tried_package;
	uint64_t budget;		/* bytes and entries that may still be read */
	uint64_t paid;			/* taken from it ahead of its use */
	struct pt_map names; /* of entries by file and offset: index in name_list + 1 */
	struct pt_dw_name *name_list;
	size_t nr_names, cap_names;
};

/* NULL: the object has no .debug_info. */
struct pt_dwarf *pt_dwarf_new(struct pt_object *o);
void pt_dwarf_free(struct pt_dwarf *d);
/* dwarf_section.c: pays for the cost and for what follows. */
bool pt_dw_pay_ahead(struct pt_dwarf *d, uint64_t cost);
/* False: the budget is spent. */
static inline bool pt_dw_pay(struct pt_dwarf *d, uint64_t cost)
{
	if (cost > d->paid)
		return pt_dw_pay_ahead(d, cost);
	d->paid -= cost;
	return true;
}
/* memory, until the file is freed; false: the budget is spent */
bool pt_dw_take(struct pt_dw_file *f, uint64_t bytes);

/* dwarf_section.c. */
/* Further work is refused. */
void pt_dw_stop(struct pt_dwarf *d);
/* takes the reference */
struct pt_dw_file *pt_dw_file_new(struct pt_dwarf *d, struct pt_object *o, bool dwo);
/* False: the budget does not suffice for libdw, which unpacks all sections. */
bool pt_dw_may_unpack(const struct pt_dw_file *f);
/* A reader over up to `want` bytes. */
struct pt_bytes pt_dw_bytes(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t off,
			    uint64_t want);
/* NULL: none */
const char *pt_dw_string_at(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t off);

/* dwarf_abbrev.c. */
struct pt_dw_abbrevs *pt_dw_abbrevs_of(struct pt_dw_unit *u);
void pt_dw_abbrevs_free(struct pt_dw_abbrevs *t);
/* Frees what was compiled until it is needed again, in loops over all units. */
void pt_dw_abbrevs_drop(struct pt_dw_unit *u);
/* Do some entries of that tag (0: any) have the attribute in such a form (NULL: any)? */
bool pt_dw_any_has(struct pt_dw_unit *u, uint16_t tag, enum pt_dw_slot slot,
		   bool (*is)(uint16_t form));
/* Do some entries of that tag have their origin in other units? */
bool pt_dw_refers_out(struct pt_dw_unit *u, uint16_t tag);
/* Is some variable's location a list? Then the unit was optimised: locations are valid from a
 * function's first instruction on. */
bool pt_dw_has_loclists(struct pt_dw_unit *u);

/* dwarf_die.c. */
/* The value of a form at b, as in struct pt_dw_die; b is bad behind an unknown form. */
uint64_t pt_dw_form_read(const struct pt_dw_unit *u, struct pt_bytes *b, uint64_t form);
bool pt_dw_die_at(struct pt_dw_unit *u, uint64_t off, struct pt_dw_die *die);

/* dwarf_unit.c. */
/* walks on; NULL: no more units */
struct pt_dw_unit *pt_dw_unit_nr(struct pt_dw_file *f, size_t i);
/* the unit that contains the entry */
struct pt_dw_unit *pt_dw_unit_at(struct pt_dw_file *f, bool types, uint64_t off);
/* reads the root entry (`root` may be NULL). False: it is damaged */
bool pt_dw_unit_open(struct pt_dw_unit *u, struct pt_dw_die *root);
struct pt_dw_unit *pt_dw_unit_of_signature(struct pt_dw_file *f, uint64_t signature);

/* dwarf_walk.c. Calls each() for a unit's DW_TAG_subprogram entries (with code, abstract,
 * declared), also within namespaces, types and functions, in C not within abstract ones, until it
 * returns false. may(), if given, is asked first whether an entry without code is wanted by a name
 * that is at `off` in .debug_str. */
enum { PT_DW_AROUND = 64 };
/* the entries around a function, from the root inwards */
struct pt_dw_around {
	uint64_t off[PT_DW_AROUND];
	unsigned nr;
};
void pt_dw_functions(struct pt_dw_unit *dw,
		     bool (*may)(void *arg, const struct pt_dw_unit *unit, uint64_t off),
		     bool (*each)(void *arg, const struct pt_dw_die *die,
				  const struct pt_dw_around *around),
		     void *arg);

/* Calls each() for a function's entry and its scopes, parents first: inlined functions, with
 * `blocks` also blocks. It returns what is the parent of the scopes within; the function's is
 * PT_DW_NO_PARENT. False: the function cannot be read; each() has seen an entry without attributes.
 */
enum { PT_DW_NO_PARENT = UINT32_MAX };
bool pt_dw_scopes(struct pt_dw_unit *u, uint64_t off, bool blocks,
		  uint32_t (*each)(void *arg, const struct pt_dw_die *die, uint32_t parent),
		  void *arg);

/* dwarf_split.c: the unit with the functions: a skeleton's split unit, else the unit itself. */
struct pt_dw_unit *pt_dw_unit_split(struct pt_dw_unit *u);
struct pt_dw_file *pt_dw_alt(struct pt_dw_file *f);

/* dwarf_form.c. */
static inline bool pt_dw_has(const struct pt_dw_die *die, enum pt_dw_slot s)
{
	return die->have >> s & 1;
}
/* 0: it has none. */
static inline uint64_t pt_dw_value(const struct pt_dw_die *die, enum pt_dw_slot s)
{
	return pt_dw_has(die, s) ? die->v[s] : 0;
}
/* NULL: no string, or missing */
const char *pt_dw_string_of(const struct pt_dw_die *die, enum pt_dw_slot s);
const char *pt_dw_string(struct pt_dw_unit *u, uint16_t form, uint64_t v);
/* False: the entry has none, or its value is no address. */
bool pt_dw_address(const struct pt_dw_die *die, enum pt_dw_slot s, uint64_t *address);
/* The entry that an attribute refers to. False: none; *to is NULL then. */
bool pt_dw_reference(const struct pt_dw_die *die, enum pt_dw_slot s, struct pt_dw_unit **to,
		     uint64_t *off);
/* Of an entry: unique among all files of its pt_dwarf. */
uint64_t pt_dw_key(const struct pt_dw_unit *u, uint64_t off);
/* The address ranges of an entry, but for empty ones, those over 2 GB, and those the linker
 * discarded (at 0, 1, or the end of memory). */
void pt_dw_ranges(const struct pt_dw_die *die, void (*add)(void *ctx, uint64_t lo, uint64_t hi),
		  void *ctx);
/* Attributes that say where code is: an address or ranges. */
static inline bool pt_dw_have_code(uint32_t have)
{
	return have >> PT_DW_AT_RANGES & 1 || (have >> PT_DW_LOW & have >> PT_DW_HIGH & 1);
}
static inline bool pt_dw_has_code(const struct pt_dw_die *die)
{
	return pt_dw_have_code(die->have);
}
/* By abstract origin, specification or signature. */
bool pt_dw_origin(const struct pt_dw_die *die, struct pt_dw_die *of);
/* The source name, or its origin's; NULL: none. */
const char *pt_dw_plain_name(const struct pt_dw_die *die);
/* The linkage name, else the name, or its origin's; NULL: none. */
struct pt_dw_name pt_dw_name(const struct pt_dw_die *die);
/* Of the entry at that offset. */
struct pt_dw_name pt_dw_name_at(struct pt_dw_unit *u, uint64_t off);
/* True: the entry at *off of the same unit has the name, which need not be looked up yet. */
bool pt_dw_near_origin(const struct pt_dw_die *die, uint64_t *off);

#endif
