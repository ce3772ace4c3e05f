/* ksyms_priv.h - what ksyms.c (lines, tables) and ksyms_local.c (the kernel that runs) share;
 * nobody else includes it. */
#ifndef PT_BASE_KSYMS_PRIV_H
#define PT_BASE_KSYMS_PRIV_H

#include "base/buf.h"
#include "base/keep.h"
#include "base/ksyms.h"

enum { MAX_TEXT = 256 << 20 };
/* Beside `module`. Sure, in a kept table of modules: up to the next symbol it is all code of this
 * module, whatever else comes and goes. */
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
	struct pt_kept kept;		/* or both are in here */
};

struct pt_ksyms {
	struct ktable all;		/* of a text, or all that /proc/kallsyms has */
	bool read;
	bool local, tried_kept;
	struct ktable core;		/* kept from an earlier run: the kernel's own */
	bool tried_modules;
	struct ktable modules;		/* the same, of the modules that are there now */
	struct pt_keep *keep;
	char *root;			/* in front of /proc and /sys */
	uint8_t key[128];
	size_t key_len;			/* 0: nothing to be kept */
	bool to_put, modules_to_put;	/* read, and not kept yet */
	struct pt_buf witness;		/* the modules that were there then */
};

/* A file of such lines. False: it cannot be read. */
bool pt_ktable_read_file(struct ktable *t, const char *path);
const char *pt_ktable_string(const struct ktable *t, uint32_t off);
bool pt_ktable_same_module(const struct ktable *t, const struct kentry *a, const struct kentry *b);
/* From _text to _einittext; both 0: not known. */
void pt_ktable_core(const struct ktable *t, uint64_t *start, uint64_t *end);
bool pt_ktable_in_core(const struct ktable *t, uint64_t addr);
bool pt_ktable_find(const struct ktable *t, uint64_t addr, struct pt_ksym *s, bool *sure);
/* The number at a line's start; behind it, or NULL. */
const char *pt_kline_address(const char *s, const char *end, uint64_t *v);
/* Of the kernel that runs: the table that answers for an address; any that is at hand; what is kept
 * of modules. */
const struct ktable *pt_klocal_for(struct pt_ksyms *k, uint64_t addr);
const struct ktable *pt_klocal_some(struct pt_ksyms *k);
bool pt_klocal_module(struct pt_ksyms *k, uint64_t addr, struct pt_ksym *s);
/* Keeps what was read for later runs. */
void pt_klocal_put(struct pt_ksyms *k);

#endif
