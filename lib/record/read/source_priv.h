/* source_priv.h - what a source is made of: one recording or session (source.c), or several
 * recordings, each a source of its own (several.c). */
#ifndef PT_RECORD_SOURCE_PRIV_H
#define PT_RECORD_SOURCE_PRIV_H

#include "record/format/decode.h"
#include "record/read/backend.h"
#include "record/read/feature.h"
#include "record/read/source.h"

enum source_state { GOING, DRAINING, OVER };

struct pt_several;

struct pt_source {
	/* NULL: of one recording. Otherwise there is no backend, and nothing to order or decode. */
	struct pt_several *several;
	struct pt_backend *b;
	char *name;			/* for messages; NULL: live */
	struct pt_stream st;
	struct pt_decoder decoder;
	struct pt_features features;
	struct pt_tally tally, shown;
	enum source_state state;
	uint64_t until_ns;
	uint64_t last_ns;		/* of the latest record delivered */
	uintptr_t page_mask;
	bool stopped;			/* pt_source_stop() was heeded */
	struct {			/* a sample that read its group's counters */
		struct pt_record rec;	/* as it was delivered last, for one event */
		uint32_t at;		/* index of the next value */
		uint64_t thread;	/* whose counts they are: mixed into ids; 0: of all */
		struct pt_map counts;	/* id: the value before */
	} group;
	struct pt_err bad;		/* reported when all is delivered */
};

/* several.c. True: a directory that is no recording by itself (perf record --threads). */
bool several_is_folder(const char *path);
void several_free(struct pt_several *v);
int several_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e);
void several_see_own(struct pt_several *v, void (*see)(void *ctx, const struct pt_record *rec),
		     void *ctx);
const struct pt_tally *several_tally(struct pt_source *s);
struct pt_event_tally several_event_tally(const struct pt_several *v, const struct pt_event *ev);

#endif
