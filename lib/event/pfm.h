/* pfm.h - vendors' event names by libpfm4, where its header was there at build (PT_HAVE_PFM) and
 * the library when it runs; else all of these find nothing. Names: EVENT[:UMASK...][:MODIFIER...],
 * in any case, "." for ":" too. Source: pfm_get_os_event_encoding(3). */
#ifndef PT_EVENT_PFM_H
#define PT_EVENT_PFM_H

#include <stdbool.h>

#include "base/err.h"

/* The library's version, "4.13"; NULL: it is not installed. */
const char *pt_pfm_version(char text[32]);
/* Fills in the attribute, all but its size. 0: found; 1: no such event; -1: a known event with an
 * error in the rest. */
struct pt_attr;
int pt_pfm_find(const char *name, struct pt_attr *attr, struct pt_err *e);
/* Calls each(arg, pmu, name, description) for the events of the PMUs that it finds on this machine;
 * with `umasks` also for each EVENT:UMASK. */
void pt_pfm_each(void (*each)(void *arg, const char *pmu, const char *name, const char *what),
		 void *arg, bool umasks);

#endif
