/* target.h - the file to be probed: a program or a library with its debug information, a kernel's
 * image or a module's file.
 *
 * Debug information is looked for as elf/files.h tells (build-id, debug link, server). Points,
 * lines and functions are read by dwarf/dwarf.h; types and locations of variables by libdw, opened
 * when first asked for. The two share only units and offsets of entries. All that a place or a
 * listing points to lives as long as its target. */
#ifndef PT_PROBE_TARGET_TARGET_H
#define PT_PROBE_TARGET_TARGET_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "dwarf/dwarf.h"
#include "elf/elfsyms.h"
#include "elf/files.h"
#include "dwarf/inlines.h"
#include "elf/symtab.h"
#include "probe/target/module.h"

struct pt_target_opts {
	/* a kernel's image, with or without debug information, or a module's file (.ko, also
	 * compressed), loaded or not; else a program or a library */
	bool kernel;
	const char *symfs;		/* as in struct pt_files_opts */
	bool debuginfod;
	/* where sources are searched first; NULL: only the compiler's paths */
	const char *source_dir;
	/* a cache, which outlives the target; NULL: none */
	struct pt_diskcache *keep;
};

struct pt_target {
	/* of the options: places are symbol + offset (kprobes); else file offsets (uprobes) */
	bool kernel;
	char *path;			/* absolute */
	/* how it was found ("on PATH"); NULL: it was given by a path */
	const char *how;
	char *source_dir;
	char *module;			/* a module's name; NULL: it is none */
	struct pt_diskcache *keep;		/* of the options */
	struct pt_files *files;
	struct pt_object *object;	/* segments, symbols, build-id */
	/* the file with the debug information; NULL: none, see pt_target_no_debug() */
	struct pt_object *debug;
	struct pt_inlines *inlines;	/* inlined functions by `debug`; NULL: none */
	struct pt_dwarf *dwarf;		/* of inlines */
	/* what dwarf may spend on one question (pt_target_ask()); each has all of it anew */
	uint64_t budget;
	struct pt_map lines;		/* unit with addresses -> its pt_dw_lines (source.h) */
	/* Of a kernel's image, see where/kernel_place.c. */
	/* hash of a function's name -> its address, 1 if it has several */
	struct pt_map named;
	struct pt_dw_span *blacklist;	/* code that the kernel lets nobody probe */
	size_t nr_blacklist, cap_blacklist;
	bool knows_names, knows_blacklist;
	unsigned nr_asked;		/* names that were searched one by one */
	Dwarf *dw;			/* see pt_target_dw() */
	struct pt_map splits;		/* split unit -> its struct pt_split (target_split.c) */
	/* The alternate file as pt opened it. If there is none: the empty one of no_alt, which
	 * keeps libdw from looking for one. */
	Dwarf *alt;
	struct pt_split *no_alt;
	int alt_fd;
	int dw_fd;
};

/* `file`: a path, or a name without slash: a program in this directory or on PATH, or a library by
 * soname. */
int pt_target_open(struct pt_target *t, const char *file, const struct pt_target_opts *o,
		   struct pt_err *e);
void pt_target_deinit(struct pt_target *t);

/* Begins another question to the debug information, with a whole budget. */
void pt_target_ask(struct pt_target *t);
/* Sets the error "FILE has no debug information" with what would help; -1. */
int pt_target_no_debug(const struct pt_target *t, struct pt_err *e);
/* Owned by the target. NULL: none, or unreadable; e says why. */
Dwarf *pt_target_dw(struct pt_target *t, struct pt_err *e);
/* libdw's root of a split unit. -1: libdw cannot read it (packages (.dwp), type units in a .dwo) */
int pt_target_split(struct pt_target *t, struct pt_dw_unit *split, Dwarf_Die *cu, struct pt_err *e);
/* The split unit of a libdw skeleton; false: there is none, or it is refused. */
bool pt_target_split_of(struct pt_target *t, Dwarf_Die *skeleton, Dwarf_Die *cu);

/* The function symbol at an address, by the debug file where the object is stripped. */
bool pt_target_symbol(const struct pt_target *t, uint64_t vaddr, struct pt_symbol *s);
/* pt_elfsyms_each() of the object and its debug file. */
void pt_target_symbols(const struct pt_target *t, const char *word,
		       bool (*each)(void *arg, const struct pt_elfsym *s), void *arg);
/* The file offset of a vaddr as the kernel counts it for uprobes: vaddr - p_vaddr + p_offset of the
 * executable segment. False: in none. */
bool pt_target_offset(const struct pt_target *t, uint64_t vaddr, uint64_t *off);
bool pt_target_vaddr(const struct pt_target *t, uint64_t off, uint64_t *vaddr);

#endif
