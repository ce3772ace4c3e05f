/* feature.h - what a recording says about itself: feature sections of a file, HEADER_FEATURE and
 * other header records of a stream.
 *
 * Owned by the source; strings live as long. Source of the formats:
 * tools/perf/Documentation/perf.data-file-format.txt. */
#ifndef PT_RECORD_FEATURE_H
#define PT_RECORD_FEATURE_H

#include "base/err.h"
#include "base/map.h"
#include "record/format/info.h"
#include "record/read/backend.h"

struct pt_features {
	struct pt_info info;
	struct pt_names *names;
	const char **cmdline;
	struct pt_info_pmu *pmus;
	struct pt_info_cpu *cpus;
	struct pt_build_id_entry *build_ids;
	size_t nr_build_ids, cap_build_ids;
	uint64_t comp_mmap_len;		/* what one compressed record may expand to; 0: not said */
	bool is_dir;			/* the records are in files beside it */
};

void pt_features_init(struct pt_features *f);
void pt_features_deinit(struct pt_features *f);

/* Reads the content of one section; unknown ones are left alone. An error spoils only this section.
 */
int pt_feature_read(struct pt_stream *st, unsigned number, const void *data, size_t len, bool swap,
		    struct pt_err *e);
/* HEADER_BUILD_ID, EVENT_UPDATE, TIME_CONV: a whole record with its header. */
int pt_feature_build_id(struct pt_features *f, const uint8_t *p, size_t len, bool swap);
int pt_feature_event_update(struct pt_stream *st, const uint8_t *p, size_t len, bool swap);
int pt_feature_time_conv(struct pt_features *f, const uint8_t *p, size_t len, bool swap);
/* Finds the formats of tracepoint events that have none yet. */
void pt_feature_link_tracepoints(struct pt_stream *st);

#endif
