/* show.h - events that were made, or would be made, as text and as JSON objects. Each function
 * appends whole lines. */
#ifndef PT_PROBE_SHOW_H
#define PT_PROBE_SHOW_H

#include "probe/make.h"

void pt_show_names(const struct pt_events *es, struct pt_buf *b);
void pt_show_definitions(const struct pt_events *es, struct pt_buf *b);
/* {"event":...,"places":[...]} for each event. */
void pt_show_events_json(const struct pt_events *es, struct pt_buf *b);

#endif
