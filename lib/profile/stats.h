/* stats.h - what a recording is made of: how many records of each type and samples of each event,
 * and which tasks ran.
 *
 *     struct pt_stats *s = pt_stats_new();
 *     pt_stats_see(s, rec) ...                             // every record
 *     pt_stats_print(s, source, &text);
 *     pt_stats_tasks(s, &text);
 *     pt_stats_free(s);
 *
 * The text is laid out as perf report --stats and --tasks have it. */
#ifndef PT_PROFILE_STATS_H
#define PT_PROFILE_STATS_H

#include "base/buf.h"
#include "record/source.h"

struct pt_stats;
struct pt_stats *pt_stats_new(void);
void pt_stats_free(struct pt_stats *s);
void pt_stats_see(struct pt_stats *s, const struct pt_record *rec);

void pt_stats_print(const struct pt_stats *s, const struct pt_source *src, struct pt_buf *b);
/* All tasks that were there, each below its parent; the names are the last ones, escaped for a
 * terminal. */
void pt_stats_tasks(struct pt_stats *s, struct pt_buf *b);

#endif
