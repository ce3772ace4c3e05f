/* stats.h - what a recording is made of: how many records of each type and samples of each event,
 * and which tasks ran.
 *
 *     struct pt_stats *s = pt_stats_new();
 *     pt_stats_see(s, rec) ...                             // every record
 *     pt_stats_print(s, source, json, &text);
 *     pt_stats_tasks(s, json, &text);
 *     pt_stats_free(s);
 *
 * The text is laid out as perf report --stats and --tasks have it; JSON: an object a line. */
#ifndef PT_PROFILE_STATS_H
#define PT_PROFILE_STATS_H

#include "base/buf.h"
#include "record/read/source.h"

struct pt_stats;
struct pt_stats *pt_stats_new(void);
void pt_stats_free(struct pt_stats *s);
void pt_stats_see(struct pt_stats *s, const struct pt_record *rec);

void pt_stats_print(const struct pt_stats *s, const struct pt_source *src, bool json,
		    struct pt_buf *b);
/* All tasks, each below its parent, with their last names, escaped for a terminal. Once, at the
 * end. */
void pt_stats_tasks(struct pt_stats *s, bool json, struct pt_buf *b);

#endif
