/* survey.h - what this machine and this user can trace: one finding a subject, each limit with the
 * command that lifts it.
 *
 *     struct pt_survey s = { 0 };
 *     pt_survey_run(&s, &(struct pt_survey_opts){ .events = true, .idle = true });
 *     for (i = 0; i < s.nr; i++) ... s.v[i] ...
 *     pt_survey_deinit(&s);
 *
 * What cannot be found out is a finding, too. Sources: Documentation/admin-guide/sysctl/kernel.rst,
 * perf-security.rst. */
#ifndef PT_EVENT_SURVEY_H
#define PT_EVENT_SURVEY_H

#include <stdbool.h>
#include <stddef.h>

enum pt_state {
	PT_STATE_OK,
	PT_STATE_LIMITED,	/* works partly, or only for others */
	PT_STATE_MISSING,
	PT_STATE_UNKNOWN,	/* this user cannot find out */
};

struct pt_finding {
	const char *key;	/* a word: "paranoid" */
	enum pt_state state;
	char *text;		/* one line: what was found and what it means */
	char *cure;		/* what lifts the limit; NULL: nothing, or no need */
};

struct pt_survey {
	struct pt_finding *v;
	size_t nr, cap;
};

struct pt_survey_opts {
	const char *root;	/* in front of /proc and /sys, for tests; NULL: the real ones */
	bool events;		/* open events to see what works */
	bool idle;		/* test if those of idle CPUs arrive, in a quarter of a second */
};

void pt_survey_run(struct pt_survey *s, const struct pt_survey_opts *o);
void pt_survey_deinit(struct pt_survey *s);
const char *pt_state_name(enum pt_state state);	/* "ok", "limited", "missing", "unknown" */
/* NULL: not examined */
const struct pt_finding *pt_survey_find(const struct pt_survey *s, const char *key);

/* How many events of an idle CPU the kernel counted and delivered (event/idle.c): those of a thread
 * that its timer wakes there. Returns NULL, or why that could not be tested. */
struct pt_idle_test {
	int cpu;
	unsigned long long counted, delivered, lost;
	bool was_idle;		/* false: it had other work, and the result shows nothing */
};
const char *pt_idle_test_run(struct pt_idle_test *t);

enum pt_idle_events {
	PT_IDLE_UNTESTED,		/* no other CPU, or it was busy */
	PT_IDLE_DELIVERED,
	PT_IDLE_LOST,
};
/* The same as an answer, which root keeps until the next boot (base/bootanswer.h). */
enum pt_idle_events pt_idle_events(void);

#endif
