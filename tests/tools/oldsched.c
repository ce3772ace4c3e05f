/* oldsched IN OUT: a copy of a recording (a file, not a stream) for readers that know neither sched_waking nor the state R+, as perf 6.1's sched latency: the event is renamed to sched_wakeup,
 * and a task that was preempted within the kernel (prev_state 0x100) leaves with R as others that are preempted do. Prints how many switches it changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/read/source.h"

enum { PREEMPTED = 0x100 };

static void die(const char *what)
{
	fprintf(stderr, "oldsched: %s\n", what);
	exit(1);
}

static uint8_t *whole(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long end = -1;

	if (!f || fseek(f, 0, SEEK_END) < 0 || (end = ftell(f)) < 0)
		die("cannot read it");
	*len = (size_t)end;
	data = pt_alloc(*len + 1);
	rewind(f);
	if (fread(data, 1, *len, f) != *len)
		die("cannot read it");
	fclose(f);
	return data;
}

/* Where the state lies in the file, of each switch; true when it has to change. */
static bool preempted(const struct pt_record *rec, size_t *at)
{
	const struct pt_tp_field *f;
	uint64_t v;

	if (rec->type != PERF_RECORD_SAMPLE || !rec->event || !rec->event->tp || strcmp(rec->event->tp->name, "sched_switch"))
		return false;
	f = pt_tp_field(rec->event->tp, "prev_state");
	if (!f || !pt_tp_value(f, rec->sample.raw, rec->sample.raw_len, rec->swap, &v) || !(v & PREEMPTED))
		return false;
	*at = rec->off + (size_t)((const uint8_t *)rec->sample.raw - rec->data) + f->off;
	return true;
}

int main(int argc, char **argv)
{
	static const char from[] = "sched_waking", to[] = "sched_wakeup";
	struct pt_err e = PT_ERR_INIT;
	const struct pt_record *rec;
	struct pt_source *s;
	size_t len, at, nr = 0;
	uint8_t *data, *p;
	FILE *out;
	int rc;

	if (argc != 3)
		die("IN OUT");
	data = whole(argv[1], &len);
	if (pt_source_open(&s, argv[1], NULL, &e) < 0)
		die(e.msg);
	while ((rc = pt_source_next(s, &rec, &e)) > 0)
		if (preempted(rec, &at) && at + 8 <= len) {
			memset(data + at, 0, 8);
			nr++;
		}
	if (rc < 0)
		die(e.msg);
	pt_source_free(s);
	for (p = data; (p = memmem(p, len - (size_t)(p - data), from, sizeof(from) - 1)); )
		memcpy(p, to, sizeof(to) - 1);
	out = fopen(argv[2], "wb");
	if (!out || fwrite(data, 1, len, out) != len || fclose(out))
		die("cannot write");
	printf("%zu\n", nr);
	free(data);
	return 0;
}
