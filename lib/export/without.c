/* without.c - where pt is built without protobuf-c. Tools refuse these forms before they begin. */
#ifndef PT_WITH_PROTOBUF

#include "export/perfetto.h"
#include "export/pprof.h"

int pt_pprof_write(const struct pt_samples *s, const struct pt_sink_about *about,
		   struct pt_sink *sink, struct pt_err *e)
{
	(void)s, (void)about, (void)sink;
	return pt_err_set(e, "this build is without protobuf-c");
}

struct pt_perfetto *pt_perfetto_new(const struct pt_source *src, struct pt_buf *out)
{
	(void)src, (void)out;
	return NULL;
}

void pt_perfetto_free(struct pt_perfetto *p) { (void)p; }

bool pt_perfetto_feed(struct pt_perfetto *p, const struct pt_record *rec, const char *comm)
{
	(void)p, (void)rec, (void)comm;
	return false;
}

void pt_perfetto_end(struct pt_perfetto *p) { (void)p; }

bool pt_perfetto_stacks(struct pt_perfetto *p, struct pt_samples *s, size_t *i)
{
	(void)p, (void)s, (void)i;
	return false;
}

struct pt_perfetto_counts pt_perfetto_counts(const struct pt_perfetto *p)
{
	(void)p;
	return (struct pt_perfetto_counts){ 0 };
}

const struct pt_lat *pt_perfetto_requests(const struct pt_perfetto *p)
{
	(void)p;
	return NULL;
}

#endif
