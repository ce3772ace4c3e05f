/* ksyms.h - the kernel's symbols, from lines as /proc/kallsyms gives them: "ADDR T NAME [MODULE]".
 *
 * Kept are code and data (T W D B and their small letters), one symbol an address (base/choice.h).
 * A symbol ends where the next one of its module begins; the last one of a module, or before a gap,
 * ends a page behind its own. Addresses that are hidden (zeros: kptr_restrict) make an empty table.
 * Of the text the names alone are left, a function's as the end of its padding's (__pfx_NAME).
 *
 * pt_ksyms_local(): those of the kernel that runs. Reading /proc/kallsyms takes 50 ms and more, so
 * the kernel's own symbols and those of its modules are kept from one run to the next
 * (base/diskcache.h). They hold for this boot (boot id, build-id and the first page of
 * /proc/kallsyms are compared) and while the very same modules are there (all lines of
 * /proc/modules, the modules' build-ids), for addresses between _text and _einittext and between
 * two functions of a module. For any other address (a BPF program's, a trampoline's),
 * /proc/kallsyms is read as it is now. Kept tables are used only by who may read the addresses
 * anyway. */
#ifndef PT_BASE_KSYMS_H
#define PT_BASE_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_diskcache;

struct pt_ksym {
	uint64_t addr, end;		/* [addr, end) */
	const char *name;
	const char *module;		/* "[ext4]", "[bpf]"; NULL: of the kernel itself */
};

struct pt_ksyms;
/* Takes the text (from the heap), and frees it. */
struct pt_ksyms *pt_ksyms_of_text(char *text, size_t len);
/* Reads a file of such lines; NULL when it cannot be read. */
struct pt_ksyms *pt_ksyms_of_file(const char *path);
/* Nothing is read until an address is asked for. `keep`: where the table is kept, or NULL; must
 * outlive it. */
struct pt_ksyms *pt_ksyms_local(struct pt_diskcache *keep);
/* The same amid a live session: what is kept is used (mapping it takes a millisecond, reading
 * /proc/kallsyms fifty), nothing is written. */
struct pt_ksyms *pt_ksyms_local_amid(void);
/* With another root of /proc and /sys, for tests. */
struct pt_ksyms *pt_ksyms_local_at(const char *root, struct pt_diskcache *keep);
/* A table as it is kept, for tests: 8-byte aligned, the caller's; nothing in it is believed. NULL:
 * it is none. */
struct pt_ksyms *pt_ksyms_of_kept(const void *data, size_t len);
void pt_ksyms_free(struct pt_ksyms *k);

/* False: no symbol there. The strings live as long as the table. */
bool pt_ksyms_find(struct pt_ksyms *k, uint64_t addr, struct pt_ksym *s);
/* Where _text, _stext, _etext or _einittext is; 0: unknown. */
uint64_t pt_ksyms_text(struct pt_ksyms *k, const char *name);
/* Addresses are there (not hidden, not empty). */
bool pt_ksyms_visible(struct pt_ksyms *k);
/* Of the kernel itself, where it lies from _text to _einittext: it moves as a whole with each
 * boot */
bool pt_ksyms_is_core(struct pt_ksyms *k, uint64_t addr);

#endif
