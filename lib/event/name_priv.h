/* name_priv.h - shared by name.c and the files for one kind of name (name_tp.c, name_pmu.c,
 * name_mem.c, near.c, modifier.c) */
#ifndef PT_EVENT_NAME_PRIV_H
#define PT_EVENT_NAME_PRIV_H

#include "base/buf.h"
#include "event/name.h"

enum { PT_NAME_MAX_EVENTS = 65536 };

/* One word of the text: NAME[/TERMS/][[:]MODS]. */
struct name_word {
	const char *text;		/* in the whole text */
	size_t len;
	const char *terms; size_t terms_len;	/* NULL: without slashes */
	/* behind the slashes; without slashes the modifiers are still in name */
	const char *mods; size_t mods_len;
	char *name;			/* a copy: up to the slashes, or the whole word */
	struct pt_blame blame;		/* what is wrong in the text; initially the word */
};

struct pt_event_spec *name_add(struct pt_event_list *l, const char *name, uint32_t type,
			       uint64_t config);
/* Takes back all events but the first nr. */
void name_cut_back(struct pt_event_list *l, size_t nr);
/* Adds the terms to the specs from `first` on; none of them is a PMU's. */
int name_general_terms(struct pt_event_list *l, size_t first, struct name_word *w,
		       struct pt_err *e);
/* For an unknown modifier, blame is set to it. */
int name_modify(struct pt_event_spec *s, const char *mods, size_t len, struct pt_blame *blame,
		struct pt_err *e);
bool name_all_modifiers(const char *s);
int name_no_such(struct pt_event_list *l, const char *name, struct pt_err *e);
int name_no_such_pmu(struct pt_event_list *l, struct name_word *w, struct pt_err *e);
/* The user's names and texts as messages can show them, shortened so that advice still fits. */
const char *name_shown(const char *s, struct pt_buf *b);

/* SYSTEM:NAME, with globs and {a,b}. */
int name_tracepoints(struct pt_event_list *l, const char *pattern, struct pt_err *e);
/* mem:ADDR[/LEN][:rwx][:MODS]; */
int name_mem(struct pt_event_list *l, struct name_word *w, struct pt_err *e);
/* PMU/TERMS/; 1: there is no such PMU. */
int name_pmu_terms(struct pt_event_list *l, struct name_word *w, struct pt_err *e);
/* An event by its name alone, on all PMUs that have it; `whole`: its shown name. 1: no PMU has it.
 */
int name_pmu_event(struct pt_event_list *l, const char *name, const char *whole, struct pt_err *e);
/* A fixed hardware or cache event, or a raw one, on each core PMU of a hybrid machine. */
void name_hardware(struct pt_event_list *l, const char *name, const char *mods,
		   const struct pt_attr *attr);

#endif
