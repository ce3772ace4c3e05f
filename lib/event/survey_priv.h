/* survey_priv.h - shared by survey*.c: where to look, and adding a finding */
#ifndef PT_EVENT_SURVEY_PRIV_H
#define PT_EVENT_SURVEY_PRIV_H

#include "event/caps.h"
#include "event/survey.h"

struct pt_look {
	struct pt_survey *s;
	const char *root;		/* "" for the real one */
	struct pt_caps caps;
	const char *sudo;		/* in front of commands */
	bool real;			/* root is "": events may be opened */
};

/* Adds a finding; pt_look_cure() sets the cure of the last one, and pt_look_sysctl() the command
 * that sets a sysctl ("kernel.x=1"). */
void pt_look_add(struct pt_look *l, const char *key, enum pt_state state, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void pt_look_cure(struct pt_look *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_look_sysctl(struct pt_look *l, const char *setting);
/* 0, or errno. The file's start without a newline at the end. */
int pt_look_text(const struct pt_look *l, const char *path, char *text, size_t size);
int pt_look_number(const struct pt_look *l, const char *path, long long *v);
/* access(2): 0, or errno. */
int pt_look_access(const struct pt_look *l, const char *path, int mode);

void pt_look_events(struct pt_look *l);		/* survey_open.c: opens some */
/* survey_trace.c: tracefs, probes, symbols, debug info */
void pt_look_tracing(struct pt_look *l);

#endif
