/* gather.h - profiles of a stream of records, one for each event, or of folded lines.
 *
 *     struct pt_gather *g = pt_gather_new(&opts);
 *     while (pt_source_next(src, &rec, &e) > 0)
 *             pt_gather_feed(g, src, rec);                // every record
 *     pt_gather_name(g);                                  // at the end: nothing is named before
 *     for (i = 0; i < pt_gather_nr(g); i++)
 *             if ((p = pt_gather_profile(g, i, &event))) ...
 *     pt_gather_free(g);
 *
 * With opts.turns stacks are kept, and profiles are made anew as often as wanted. A turn is a span
 * of time, such as that between two refreshes of a screen:
 *
 *     pt_gather_name(g);                                  // of the last turns, with names so far
 *     pt_gather_turn(g);                                  // the next turn begins
 *
 * Profiles and the names in them live until pt_gather_free(). */
#ifndef PT_PROFILE_GATHER_H
#define PT_PROFILE_GATHER_H

#include "profile/code.h"
#include "profile/profile.h"
#include "record/read/source.h"
#include "stack/frames.h"

#define PT_ALL_TURNS SIZE_MAX

struct pt_gather_opts {
	/* 0: trace if all events are tracepoints or probes, else comm, dso and sym; for folded
	 * lines comm and sym */
	unsigned keys;
	/* rows of callers: always, never, or where there are stacks and rows are of functions */
	enum { PT_CALLERS_USUAL, PT_CALLERS_ALWAYS, PT_CALLERS_NEVER } callers;
	const regex_t *parent;		/* of PT_KEY_PARENT */
	uint64_t quantum_ns;		/* of PT_KEY_TIME */
	bool each_address, paths;	/* see profile/naming.h */
	/* A second profile of each event, of wall time: a sample's period is divided by the tasks
	 * that ran when it was taken, by the records of switches. Without opts.turns. */
	bool wall;
	/* Each pt_gather_name() makes profiles of the last so many turns; PT_ALL_TURNS: of all
	 * turns. 0: there are no turns, and it is called once, at the end. */
	size_t turns;
	const struct pt_frames_opts *frames;	/* NULL: folded lines */
	/* Callbacks, which may be NULL. chosen: is the sample wanted? stack: is told how complete
	 * each sample's stack is. frame: is told each frame of each place, and how many samples
	 * have it. */
	bool (*chosen)(void *ctx, const struct pt_record *rec, const char *comm);
	void (*stack)(void *ctx, const struct pt_frames_how *how);
	void (*frame)(void *ctx, const struct pt_named_frame *x, bool has_file, uint64_t times);
	void *ctx;
};

struct pt_gather;
struct pt_gather *pt_gather_new(const struct pt_gather_opts *o);
void pt_gather_free(struct pt_gather *g);

void pt_gather_feed(struct pt_gather *g, const struct pt_source *src, const struct pt_record *rec);
/* A folded line (base/foldline.h) without its newline. False: it is none. */
bool pt_gather_line(struct pt_gather *g, const char *line, size_t len);
/* Lines whose count is no whole number: they count what is next to it. */
uint64_t pt_gather_rounded(const struct pt_gather *g);

void pt_gather_name(struct pt_gather *g);
void pt_gather_turn(struct pt_gather *g);
/* From now on profiles are of so many turns; what was gathered is forgotten. */
void pt_gather_forget(struct pt_gather *g, size_t turns);
/* From now on rows are told apart by these keys; what was gathered is forgotten. */
void pt_gather_rekey(struct pt_gather *g, unsigned keys);
/* The profile is the caller's now. Its names live until pt_gather_free(). */
struct pt_profile *pt_gather_take(struct pt_gather *g, size_t i);
/* With opts.turns: the samples of an event by address, not named yet; the caller's. */
struct pt_codes *pt_gather_codes(const struct pt_gather *g, size_t i);
/* Profiles by the number of their event; event NULL: folded lines. NULL: the event has no
 * samples. */
size_t pt_gather_nr(const struct pt_gather *g);
struct pt_profile *pt_gather_profile(const struct pt_gather *g, size_t i,
				     const struct pt_event **event);
/* With opts.wall: the event's other profile. */
struct pt_profile *pt_gather_wall(const struct pt_gather *g, size_t i);
/* Of another input: the profile of the same event, or the only one with the same keys; NULL: there
 * is none. */
struct pt_profile *pt_gather_same(const struct pt_gather *g, const struct pt_profile *of,
				  const struct pt_event *event);
/* NULL: of folded lines. */
struct pt_frames *pt_gather_frames(const struct pt_gather *g);

#endif
