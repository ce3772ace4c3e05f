#include "record/read/source_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/format/buildid.h"
#include "record/format/record.h"
#include "record/read/reader.h"

int pt_source_open_backend(struct pt_source **out, struct pt_backend *b, struct pt_err *e)
{
	struct pt_source *s = pt_alloc(sizeof(*s));

	s->b = b;
	s->page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	pt_features_init(&s->features);
	s->st = (struct pt_stream){ .events = pt_evtable_new(),
				    .info = &s->features.info,
				    .features = &s->features,
				    .tally = &s->tally };
	s->st.order = pt_order_new(s->st.events, b->swap);
	pt_decoder_init(&s->decoder, s->st.events, &s->tally, b->swap, b->own_records);
	if (b->ops->begin && b->ops->begin(b, &s->st, e) < 0) {
		pt_source_free(s);
		return -1;
	}
	*out = s;
	return 0;
}

static void comes_from(struct pt_source *s, const char *path)
{
	s->st.source = s->decoder.rec.source = path;
}

static int open_reader(struct pt_source **s, struct pt_backend *b, const char *name,
		       struct pt_err *e)
{
	if (!b || pt_source_open_backend(s, b, e) < 0)
		return -1;
	(*s)->name = pt_strdup(name);
	comes_from(*s, (*s)->name);
	return 0;
}

int pt_source_open(struct pt_source **s, const char *path, const struct pt_source_opts *o,
		   struct pt_err *e)
{
	if (!strcmp(path, "-")) {
		if (pt_source_open_fd(s, STDIN_FILENO, "standard input", o, e) < 0)
			return -1;
		comes_from(*s, "-");
		return 0;
	}
	if (several_is_folder(path))
		return pt_source_open_several(s, &path, 1, e);
	return open_reader(s, pt_reader_open(path, e), path, e);
}

int pt_source_open_fd(struct pt_source **s, int fd, const char *name,
		      const struct pt_source_opts *o, struct pt_err *e)
{
	struct pt_backend *b = o && o->start_len
				       ? pt_reader_open_fd(fd, name, o->start, o->start_len, e)
				       : pt_reader_open_fd(fd, name, "", 0, e);

	return open_reader(s, b, name, e);
}

struct pt_backend *pt_source_backend(struct pt_source *s)
{
	return s->b;
}

void pt_source_free(struct pt_source *s)
{
	if (!s)
		return;
	several_free(s->several);
	pt_order_free(s->st.order);
	if (s->b)
		s->b->ops->free(s->b);
	pt_decoder_deinit(&s->decoder);
	pt_map_deinit(&s->group.counts);
	if (s->st.own_tps)
		pt_tp_db_free(s->st.tps);
	pt_evtable_free(s->st.events);
	pt_features_deinit(&s->features);
	free(s->name);
	free(s);
}

/* Ends the delivery. -1: the file has shrunk, which explains other damage. */
static int read_source_finish(struct pt_source *s, struct pt_err *e)
{
	s->state = OVER;
	if (s->b->ops->finish)
		s->b->ops->finish(s->b, &s->st);
	return s->b->ops->check ? s->b->ops->check(s->b, e) : 0;
}

/* At the end, reports what was wrong. */
static int read_source_end(struct pt_source *s, struct pt_err *e)
{
	if (read_source_finish(s, e) < 0)
		return -1;
	if (*s->bad.msg) {
		if (e)
			*e = s->bad;
		return -1;
	}
	if (pt_order_broken(s->st.order))
		return pt_err_set(e, "%s: was changed while it was read",
				  s->name ? s->name : "the ring");
	return 0;
}

/* Ends the delivery at a record that cannot be used. */
static int read_source_damaged(struct pt_source *s, uint64_t off, const char *why, struct pt_err *e)
{
	if (read_source_finish(s, e) < 0)
		return -1;
	pt_err_set(e, "record at 0x%llx (%s): %s", (unsigned long long)off,
		   pt_record_type_name(s->decoder.rec.type), why);
	return s->name ? pt_err_context(e, "%s", s->name) : -1;
}

/* The record may have been in a part of the file that is gone: touch it here, where that can be
 * reported. */
static bool gone(struct pt_source *s, const uint8_t *p, uint32_t len)
{
	const volatile uint8_t *last = p + len - 1;

	if (!(((uintptr_t)p ^ (uintptr_t)last) & s->page_mask) || !s->b->ops->check)
		return false;
	(void)*last;
	return s->b->ops->check(s->b, NULL) < 0;
}

/* No more comes in: delivers what is here, then ends. */
static void drain(struct pt_source *s)
{
	s->state = DRAINING;
	s->until_ns = UINT64_MAX;
}

static void read_source_more(struct pt_source *s)
{
	if (s->b->ops->fill(s->b, &s->st, &s->until_ns, &s->bad) <= 0)
		drain(s);
}

static const char kernel_name[] = "[kernel.kallsyms]";

/* Returns the address of a symbol of the kernel's start, which the first lines have. */
static uint64_t running_address(const char *symbol)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	unsigned long long addr;
	uint64_t found = 0;
	int i;

	for (i = 0; f && i < 1000 && !found && fgets(line, sizeof(line), f); i++)
		if (sscanf(line, "%llx %c %255s", &addr, &type, name) == 3 && !strcmp(name, symbol))
			found = addr;
	if (f)
		fclose(f);
	return found;
}

/* If the recording knows its kernel's build-id, it must be this kernel's. */
static bool same_build(const struct pt_build_id_entry *ids, size_t nr)
{
	struct pt_build_id mine;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct pt_build_id_entry *id = &ids[i];

		if (!strcmp(id->path, kernel_name))
			return pt_build_id_of_kernel("", NULL, &mine) && mine.len == id->len &&
			       !memcmp(mine.bytes, id->id, id->len);
	}
	return true;
}

/* Is it a recording of this machine, whose kernel was not started again since? Then what the
 * running kernel says of itself (/proc/kallsyms) holds for the recording, too. In doubt (hidden
 * addresses, missing sections): no. `kernel_map`: the MMAP record of the kernel's text, whose
 * offset is the address of the symbol behind its name. */
static bool is_this_boot(const struct pt_features *f, const struct pt_record *kernel_map)
{
	const struct pt_info *info = &f->info;
	const char *symbol = kernel_map->u.mmap.path;
	struct utsname uts;

	if (strncmp(symbol, kernel_name, strlen(kernel_name)) || !kernel_map->u.mmap.pgoff)
		return false;
	symbol += strlen(kernel_name);
	if (!info->os_release || !info->hostname || uname(&uts) < 0)
		return false;
	return !strcmp(info->os_release, uts.release) && !strcmp(info->hostname, uts.nodename) &&
	       running_address(symbol) == kernel_map->u.mmap.pgoff &&
	       same_build(f->build_ids, f->nr_build_ids);
}

/* The kernel's mapping tells if its symbols are those of the running kernel. A recording's formats
 * may need them (%ps). */
static void see_kernel(struct pt_source *s, const struct pt_record *rec)
{
	if (pt_record_in_kernel(rec) &&
	    s->st.own_tps && s->st.tps &&
	    is_this_boot(&s->features, rec))
		pt_tp_db_use_local_kallsyms(s->st.tps);
}

/* What a pipe or a session gave is still delivered. A file may have gigabytes in hand: it ends. */
static void stop_reading(struct pt_source *s)
{
	s->stopped = true;
	pt_err_set(&s->bad, "%s: interrupted: what follows was not read",
		   s->name ? s->name : "the session");
	drain(s);
}

void pt_source_stop(struct pt_source *s)
{
	__atomic_store_n(&s->st.stop, true, __ATOMIC_RELAXED);
}

void pt_source_see_own(struct pt_source *s, void (*see)(void *ctx, const struct pt_record *rec),
		       void *ctx)
{
	s->st.see_own = see;
	s->st.see_own_ctx = ctx;
	if (s->several)
		several_see_own(s->several, see, ctx);
}

/* As in perf, a sample that read its group's counters ({a,b}:S) is a sample of each event that has
 * counted since the last one; the first of them keeps the values. */
static const struct pt_record *next_of_group(struct pt_source *s)
{
	struct pt_record *r = &s->group.rec;

	if (s->group.at)
		r->has &= ~(uint64_t)PERF_SAMPLE_READ;
	while (s->group.at < r->sample.nr_read) {
		const struct pt_read_value *v = &r->sample.read[s->group.at++];
		uint64_t *before = pt_map_put(&s->group.counts, v->id ^ s->group.thread);

		r->sample.period = v->value - *before;
		*before = v->value;
		r->event = pt_evtable_by_id(s->st.events, v->id);
		if (r->event && r->sample.period)
			return r;
	}
	return NULL;
}

static bool reads_group(const struct pt_record *rec)
{
	return rec->type == PERF_RECORD_SAMPLE && rec->has & PERF_SAMPLE_READ && rec->event &&
	       rec->event->attr.read_format & PERF_FORMAT_ID;
}

/* If children inherit (kernels from 6.12 on), each thread has its own counts. */
static const struct pt_record *first_of_group(struct pt_source *s, const struct pt_record *rec)
{
	bool each_thread = rec->event->attr.flags & PT_ATTR_INHERIT && rec->has & PERF_SAMPLE_TID;

	s->group.rec = *rec;
	s->group.rec.has |= PERF_SAMPLE_PERIOD;
	s->group.at = 0;
	s->group.thread = each_thread ? (uint64_t)rec->tid << 40 : 0;
	return next_of_group(s);
}

int pt_source_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e)
{
	uint64_t time_ns, off;
	const char *why = "";
	const uint8_t *p;
	int rc;

	if (s->several)
		return several_next(s, rec, e);
	if (s->group.at < s->group.rec.sample.nr_read && (*rec = next_of_group(s)))
		return 1;
	while (s->state != OVER) {
		if (!s->stopped && __atomic_load_n(&s->st.stop, __ATOMIC_RELAXED))
			stop_reading(s);
		if (s->stopped && !s->features.info.stream)
			return read_source_end(s, e);
		p = pt_order_next(s->st.order, s->until_ns, &time_ns, &off);
		if (!p) {
			if (s->state == DRAINING)
				return read_source_end(s, e);
			read_source_more(s);
			continue;
		}
		rc = pt_decode(&s->decoder, p, off, &why);
		if (rc < 0)
			return read_source_damaged(s, off, why, e);
		if (gone(s, p, s->decoder.rec.len_bytes))
			return read_source_damaged(s, off, "", e);
		if (!rc)
			continue;
		if (time_ns < s->last_ns)
			s->tally.late += time_ns && s->decoder.rec.has & PERF_SAMPLE_TIME &&
					 s->decoder.rec.time_ns == time_ns;
		else
			s->last_ns = time_ns;
		if (s->decoder.rec.type == PERF_RECORD_MMAP)
			see_kernel(s, &s->decoder.rec);
		*rec = &s->decoder.rec;
		if (!reads_group(*rec) || (*rec = first_of_group(s, *rec)))
			return 1;
	}
	return 0;
}

size_t pt_source_nr_events(const struct pt_source *s)
{
	return s->st.events->nr;
}

const struct pt_event *pt_source_event(const struct pt_source *s, size_t i)
{
	return i < s->st.events->nr ? &s->st.events->evs[i]->ev : NULL;
}

void pt_source_mute(struct pt_source *s, const struct pt_event *ev)
{
	s->st.events->evs[ev->index]->muted = true;
}

struct pt_tp_db *pt_source_tps(const struct pt_source *s)
{
	return s->st.tps;
}

const struct pt_info *pt_source_info(const struct pt_source *s)
{
	return s->st.info;
}

size_t pt_source_nr_build_ids(const struct pt_source *s)
{
	return s->features.nr_build_ids;
}

const struct pt_build_id_entry *pt_source_build_id(const struct pt_source *s, size_t i)
{
	return i < s->features.nr_build_ids ? &s->features.build_ids[i] : NULL;
}

/* An event's own lost count includes LOST; without it LOST is all there is. */
static struct pt_event_tally tally_of(const struct pt_source *s, const struct pt_evt *v,
				      bool finals)
{
	struct pt_event_tally t = {
		.samples = v->samples, .shares_samples = pt_event_shares_samples(&v->ev.attr)
	};

	if (s->b->ops->event_tally)
		s->b->ops->event_tally(s->b, &v->ev, &t);
	t.lost += v->lost_hw + (finals ? v->lost_final : v->lost_ring);
	if (v->has_count && v->count > t.samples + t.lost)
		t.undelivered = v->count - t.samples - t.lost;
	return t;
}

/* Has any event its own lost count? */
static bool have_finals(const struct pt_source *s)
{
	bool any = s->st.events->has_lost_final;

	for (size_t i = 0; i < s->st.events->nr && s->b->ops->event_tally && !any; i++) {
		struct pt_event_tally t = { 0 };

		s->b->ops->event_tally(s->b, &s->st.events->evs[i]->ev, &t);
		any = t.lost;
	}
	return any;
}

const struct pt_tally *pt_source_tally(const struct pt_source *source)
{
	/* `shown` is computed on demand */
	struct pt_source *s = (struct pt_source *)source;
	struct pt_tally *t = &s->shown;
	uint64_t rings = s->tally.lost_unknown, own = 0;
	bool finals;
	size_t i;

	if (s->several)
		return several_tally(s);
	finals = have_finals(s);
	*t = s->tally;
	for (i = 0; i < s->st.events->nr; i++) {
		const struct pt_evt *v = s->st.events->evs[i];
		struct pt_event_tally one = tally_of(s, v, finals);

		t->samples += one.samples;
		t->lost += one.lost;
		t->undelivered += one.undelivered;
		rings += v->lost_ring;
		own += one.lost - v->lost_hw;
	}
	/* Losses of rings beyond those of events belong to no event. */
	t->lost_unknown = !finals ? s->tally.lost_unknown : rings > own ? rings - own : 0;
	t->lost += t->lost_unknown;
	return t;
}

struct pt_event_tally pt_source_event_tally(const struct pt_source *s, const struct pt_event *ev)
{
	return s->several ? several_event_tally(s->several, ev)
			  : tally_of(s, (const struct pt_evt *)ev, have_finals(s));
}
