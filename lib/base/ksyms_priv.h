/* ksyms_priv.h - what ksyms.c (lines, tables) and ksyms_local.c (the kernel that runs) share;
 * nobody else includes it. */
#ifndef PT_BASE_KSYMS_PRIV_H
#define PT_BASE_KSYMS_PRIV_H

#include "base/buf.h"
#include "base/diskcache.h"
#include "base/ksyms.h"

enum { MAX_TEXT = 256 << 20 };
/* Beside `module`. Sure, in a kept table: up to the next symbol it is all the kernel's own or code
 * of this module, whatever else comes and goes. */
#define PT_KENTRY_SURE (1u << 31)
#define PT_KENTRY_WEAK (1u << 30)
#define PT_KENTRY_LOCAL (1u << 29)
#define PT_KENTRY_DATA (1u << 28)
#define PT_KENTRY_MODULE ((1u << 28) - 1)

struct kentry {				/* sorted by address; offsets into the strings */
	uint64_t addr;
	uint32_t name;
	uint32_t module;		/* 0: the kernel's own; with flags */
};

enum { TEXT, STEXT, ETEXT, EINITTEXT, NR_MARKS };
struct ktable {
	const struct kentry *v;
	size_t nr;
	const char *strings;		/* names may share their ends; the last one ends in NUL */
	size_t strings_bytes;
	uint64_t marks[NR_MARKS];
	char *own_strings;		/* ours: strings */
	struct kentry *own;		/* ours: v */
	struct pt_cached kept;		/* or both are in here */
};

struct pt_ksyms {
	struct ktable all;		/* of a text, or all that /proc/kallsyms has */
	bool read;
	/* Of the kernel that runs: */
	bool local, tried_kept;
	struct ktable kept;		/* from an earlier run */
	struct pt_diskcache *keep;
	char *root;			/* in front of /proc and /sys */
	/* of what is kept */
	struct { char boot[40]; uint64_t symbols, notes, modules; } key;
	bool has_key, to_put;
	struct pt_buf witness;		/* the loaded modules */
};

/* A file of such lines. False: it cannot be read. */
bool pt_ktable_read_file(struct ktable *t, const char *path);
const char *pt_ktable_string(const struct ktable *t, uint32_t off);
bool pt_ktable_same_module(const struct ktable *t, const struct kentry *a, const struct kentry *b);
/* From _text to _einittext; both 0: not known. */
void pt_ktable_core(const struct ktable *t, uint64_t *start, uint64_t *end);
/* The number at a line's start; behind it, or NULL. */
const char *pt_kline_address(const char *s, const char *end, uint64_t *v);
/* Of the kernel that runs: what is kept, or all if that is read already; all. */
const struct ktable *pt_klocal_kept(struct pt_ksyms *k);
const struct ktable *pt_klocal_all(struct pt_ksyms *k);
/* Keeps what was read for later runs. */
void pt_klocal_put(struct pt_ksyms *k);

#endif
