/* recorder_priv.h - what the files of the recorder share: recorder.c writes what rings hold,
 * recorder_snapshot.c what rings hold that overwrite, recorder_counts.c what the kernel counted. */
#ifndef PT_RECORD_RECORDER_PRIV_H
#define PT_RECORD_RECORDER_PRIV_H

#include "record/format/buildid.h"
#include "record/format/section.h"
#include "record/write/rawtally.h"
#include "record/write/recorder.h"

struct figures {			/* of an event, since the session began */
	uint64_t lost, undelivered;
	uint64_t count;			/* from the kernel; see `counted` */
	bool counted;			/* count, samples and losses are comparable */
	uint64_t reported_dropped;	/* in LOST records */
	/* of these: in the file that is being ended, and in all files so far */
	struct reported { uint64_t count, lost; } in_file, in_files;
};

struct pt_evtable;

struct snapshots {			/* recorder_snapshot.c; of a session that overwrites */
	struct pt_evtable *table;	/* of the events, for the times of records */
	struct pt_buf triggers;		/* samples of triggers for the next snapshot */
	uint64_t triggered_ns;		/* the last one of them */
	const char *triggered_by;	/* its name; NULL: there are none */
	uint64_t names_from_ns;		/* names and mappings before that are no longer known */
};

struct pt_recorder {
	struct pt_session *session;
	struct pt_writer *writer;
	struct pt_recorder_opts opts;
	struct pt_write_event *events;
	size_t nr_events, nr_ids;
	size_t side_band;		/* index of the dummy event for MMAP, COMM and FORK */
	struct pt_sections sections;
	struct pt_build_ids *kernel_ids;
	struct pt_build_ids *build_ids;	/* of this file's processes */
	struct pt_rawtally *tally;
	struct figures *figures;
	bool has_lost;			/* the kernel counts each event's losses */
	uint64_t lost_unknown;
	struct pt_buf own;		/* the recorder's own records for the next flush */
	size_t pending_bytes;		/* since the last flush */
	struct pt_err *synth_error;	/* of the first flush that failed while synthesizing */
	int synth_rc;
	struct snapshots *snapshots;	/* NULL: the session does not overwrite */
};

/* recorder.c. Reads the session's new ids. True: there are any. */
bool recorder_renew_ids(struct pt_recorder *r);
/* The head of a file; what the session knows up to `until_ns`, unless it is the first one. */
int recorder_begin_file(struct pt_recorder *r, bool is_first, uint64_t until_ns, struct pt_err *e);
/* Writes what the ring holds up to `head`. */
int recorder_take_ring(struct pt_recorder *r, struct pt_ring *ring, uint64_t head, unsigned flags,
		       struct pt_err *e);
int recorder_flush(struct pt_recorder *r, unsigned flags, struct pt_err *e);
int recorder_end_file(struct pt_recorder *r, struct pt_err *e);

/* recorder_snapshot.c. Once what exists already was walked. */
int recorder_snapshots_begin(struct pt_recorder *r, struct pt_err *e);
void recorder_snapshots_free(struct snapshots *s);
void recorder_walk_side_band(struct pt_recorder *r);	/* names, mappings, triggers */

/* recorder_counts.c. The sample_id that ends the event's other records; time 0: before everything,
 * or none. Returns its bytes. */
enum { RECORDER_TRAILER_WORDS = 6 };
size_t recorder_trailer(const struct pt_write_event *ev, uint64_t time_ns,
			uint64_t words[RECORDER_TRAILER_WORDS]);
uint64_t recorder_id(const struct pt_write_event *ev);	/* the first; 0: none */
/* Adds a record of event i, with its trailer, to r->own. */
void recorder_put(struct pt_recorder *r, uint32_t type, size_t i, uint64_t time_ns,
		  const uint64_t *v, size_t nr);
/* Reads the kernel's counts. */
int recorder_read_counts(struct pt_recorder *r, struct pt_err *e);
/* Decides which part of them the file reports that is being ended. is_last: all that no file has
 * reported. */
void recorder_settle_counts(struct pt_recorder *r, bool is_last);
/* Makes the records of it, in r->own. */
void recorder_put_counts(struct pt_recorder *r);

#endif
