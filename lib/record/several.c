/* several.c - several recordings as one stream, ordered by time: the files of pt-record --rotate,
 * or of sessions that ran side by side.
 *
 * Each is a source of its own, with its own events, order and damage. The next record is the oldest
 * of their next ones. A recording begins with what existed before it (tasks, mappings), without a
 * time or with time 0. These records are delivered at the recording's start, which is its first
 * record with a time; to find it, each recording is read up to there when it is opened. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/words.h"
#include "record/scan.h"
#include "record/source_priv.h"

struct joined_event {			/* events of several recordings that are the same */
	struct pt_event ev;
	size_t cap_ids;
	struct part *last;		/* the last one that had it */
};

struct part {
	struct pt_source *src;
	/* the same recording, read up to start_ns; while opening */
	struct pt_source *ahead;
	uint64_t start_ns;
	bool over;
	const struct pt_record *next;
	uint64_t time_ns;		/* of `next` */
	struct joined_event **events;	/* of its events */
	size_t nr_events, cap_events;
	size_t nr_build_ids;		/* so many are in the list of all */
};

struct pt_several {
	struct part *parts;		/* by start */
	size_t nr, cap;
	size_t first, nr_begun;		/* parts in front of `first` are over */
	struct part *last;		/* its record was delivered */
	struct joined_event **events;
	size_t nr_events, cap_events;
	struct pt_map ids;		/* of all events: those that were seen */
	struct pt_build_id_entry *build_ids;
	size_t nr_build_ids, cap_build_ids;
	struct pt_err bad;		/* the first damage, reported at the end */
	size_t nr_bad;
	bool over;
};

bool several_is_folder(const char *path)
{
	char *data = pt_asprintf("%s/data", path);
	struct stat st;
	bool is = stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(data, F_OK) < 0;

	free(data);
	return is;
}

/* -- which recordings -- */

static bool begins_as_recording(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[PT_MAGIC_BYTES];
	struct stat st;
	bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		  pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		  pt_magic_is(magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

/* All recordings of a folder. Other files are left out. */
static int add_folder(struct pt_strs *paths, const char *folder, struct pt_err *e)
{
	size_t before = paths->nr;
	struct dirent **entries;
	int nr = scandir(folder, &entries, NULL, alphasort), fd, i;

	if (nr < 0)
		return pt_err_sys(e, errno, "%s", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < nr; i++) {
		if (fd >= 0 && begins_as_recording(fd, entries[i]->d_name))
			pt_strs_add(paths, pt_asprintf("%s/%s", folder, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (fd >= 0)
		close(fd);
	return paths->nr > before ? 0 : pt_err_set(e, "%s: a directory without a recording", folder);
}

/* The same file twice would count everything twice. */
static int check_twice(struct pt_map *files, const char *path, struct pt_err *e)
{
	struct stat st;
	uint64_t *seen;

	if (stat(path, &st) < 0)
		return 0;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return pt_err_set(e, "%s: a pipe: it is read alone, several recordings must be files",
				  path);
	seen = pt_map_put(files, pt_hash64(st.st_ino) ^ st.st_dev);
	if (*seen)
		return pt_err_set(e, "%s: this recording is named twice", path);
	*seen = 1;
	return 0;
}

/* -- opening -- */

static void note_damage(struct pt_several *v, const struct pt_err *e)
{
	pt_err_first(&v->bad, e);
	v->nr_bad++;
}

static bool has_time(const struct pt_record *rec)
{
	return rec->has & PERF_SAMPLE_TIME && rec->time_ns;
}

/* A recording without any time goes last. Damage in front of the first time is found again. */
static uint64_t read_start(struct pt_source *s)
{
	struct pt_err ignored = PT_ERR_INIT;
	const struct pt_record *rec;

	while (pt_source_next(s, &rec, &ignored) > 0)
		if (has_time(rec))
			return rec->time_ns;
	return UINT64_MAX;
}

static void add_part(struct pt_several *v, const char *path)
{
	struct pt_err e = PT_ERR_INIT;
	struct part p = { 0 };

	if (pt_source_open(&p.src, path, NULL, &e) < 0 ||
	    pt_source_open(&p.ahead, path, NULL, &e) < 0) {
		pt_source_free(p.src);
		note_damage(v, &e);
		return;
	}
	p.start_ns = read_start(p.ahead);
	PT_GROW(v->parts, v->nr, v->cap);
	v->parts[v->nr++] = p;
}

static int by_start(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->src->name, y->src->name);
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

/* The wall clock may be set meanwhile, and a suspended machine's other clocks stand still. But they
 * never go back, nor faster than the wall clock. */
static bool same_boot(const struct pt_info *a, const struct pt_info *b)
{
	const uint64_t slack_ns = 5000000000;
	const struct pt_info *from = a->wall_ns <= b->wall_ns ? a : b, *to = from == a ? b : a;

	if (!a->has_clock_data || !b->has_clock_data || a->clockid == CLOCK_REALTIME)
		return true;
	return to->clock_ns + slack_ns >= from->clock_ns &&
	       (to->clock_ns < from->clock_ns ||
		to->clock_ns - from->clock_ns <= to->wall_ns - from->wall_ns + slack_ns);
}

/* Can the times of both be compared? */
static int check_clocks(const struct part *x, const struct part *y, struct pt_err *e)
{
	const struct pt_info *a = pt_source_info(x->ahead), *b = pt_source_info(y->ahead);

	if (a->clockid != b->clockid)
		pt_err_set(e, "they tell the time by different clocks (clock ids %d and %d; -1: perf's own)",
			   a->clockid, b->clockid);
	else if (differ(a->hostname, b->hostname) || differ(a->arch, b->arch))
		pt_err_set(e, "they are of different machines (%s and %s)",
			   differ(a->hostname, b->hostname) ? a->hostname : a->arch,
			   differ(a->hostname, b->hostname) ? b->hostname : b->arch);
	else if (differ(a->os_release, b->os_release))
		pt_err_set(e, "they are of different kernels (%s and %s)", a->os_release,
			   b->os_release);
	else if (!same_boot(a, b))
		pt_err_set(e, "the machine was started anew between them");
	else
		return 0;
	return pt_err_context(e, "%s and %s cannot be one stream", x->src->name, y->src->name);
}

/* The first recording speaks for all, but for their end, if all tell it. */
static void join_infos(struct pt_source *s)
{
	struct pt_several *v = s->several;
	struct pt_info *info = v->parts[0].src->st.info;
	size_t i;

	for (i = 1; i < v->nr; i++) {
		uint64_t last_ns = v->parts[i].src->st.info->last_time_ns;

		info->last_time_ns = last_ns && info->last_time_ns
					     ? PT_MAX(info->last_time_ns, last_ns)
					     : 0;
	}
	s->st.info = info;
}

static void take_news(struct pt_several *v, struct part *p);

static int open_parts(struct pt_source *s, struct pt_strs *paths, struct pt_err *e)
{
	struct pt_several *v = s->several;
	struct pt_map files = PT_MAP_INIT;
	int rc = 0;
	size_t i;

	for (i = 0; i < paths->nr && rc == 0; i++)
		rc = check_twice(&files, paths->v[i], e);
	for (i = 0; i < paths->nr && rc == 0; i++)
		add_part(v, paths->v[i]);
	pt_map_deinit(&files);
	if (rc == 0 && !v->nr) {
		*e = v->bad;
		return -1;
	}
	if (v->nr)
		qsort(v->parts, v->nr, sizeof(*v->parts), by_start);
	for (i = 1; i < v->nr && rc == 0; i++)
		rc = check_clocks(&v->parts[0], &v->parts[i], e);
	for (i = 0; i < v->nr; i++) {
		pt_source_free(v->parts[i].ahead);
		v->parts[i].ahead = NULL;
	}
	if (rc < 0)
		return -1;
	join_infos(s);
	for (i = 0; i < v->nr; i++)
		take_news(v, &v->parts[i]);
	return 0;
}

int pt_source_open_several(struct pt_source **out, const char *const *paths, size_t nr,
			   struct pt_err *e)
{
	struct pt_strs all = { 0 };
	struct pt_err none = PT_ERR_INIT;
	struct pt_source *s;
	int rc = 0;
	size_t i;

	for (i = 0; i < nr && rc == 0; i++) {
		if (several_is_folder(paths[i]))
			rc = add_folder(&all, paths[i], e);
		else
			pt_strs_add(&all, pt_strdup(paths[i]));
	}
	if (rc == 0) {
		s = pt_alloc(sizeof(*s));
		s->several = pt_alloc(sizeof(*s->several));
		rc = open_parts(s, &all, e ? e : &none);
		if (rc < 0)
			pt_source_free(s);
		else
			*out = s;
	}
	for (i = 0; i < all.nr; i++)
		free((char *)(uintptr_t)all.v[i]);
	free(all.v);
	return rc;
}

void several_free(struct pt_several *v)
{
	size_t i;

	for (i = 0; i < v->nr; i++) {
		pt_source_free(v->parts[i].src);
		pt_source_free(v->parts[i].ahead);
		free(v->parts[i].events);
	}
	free(v->parts);
	for (i = 0; i < v->nr_events; i++) {
		free((void *)(uintptr_t)v->events[i]->ev.ids);
		free(v->events[i]);
	}
	free(v->events);
	pt_map_deinit(&v->ids);
	free(v->build_ids);
	free(v);
}

/* -- events -- */

static bool same_format(const struct pt_tp *a, const struct pt_tp *b)
{
	size_t i;

	if (!a || !b)
		return a == b;
	if (strcmp(a->print_fmt, b->print_fmt) || a->nr_fields != b->nr_fields)
		return false;
	for (i = 0; i < a->nr_fields; i++) {
		const struct pt_tp_field *x = &a->fields[i], *y = &b->fields[i];

		if (strcmp(x->name, y->name) || strcmp(x->type, y->type) || x->off != y->off ||
		    x->size_bytes != y->size_bytes || x->flags != y->flags)
			return false;
	}
	return true;
}

/* The same event of an earlier recording, or a new one. Of equal events in one recording each has
 * its own. */
static struct joined_event *join(struct pt_several *v, struct part *p, const struct pt_event *ev)
{
	struct joined_event *j;
	size_t i;

	for (i = 0; i < v->nr_events; i++) {
		j = v->events[i];
		if (j->last != p && !strcmp(j->ev.name, ev->name) &&
		    !memcmp(&j->ev.attr, &ev->attr, sizeof(ev->attr)) &&
		    same_format(j->ev.tp, ev->tp)) {
			j->last = p;
			return j;
		}
	}
	j = pt_alloc(sizeof(*j));
	j->ev = *ev;
	j->ev.ids = NULL;
	j->ev.nr_ids = 0;
	j->ev.index = j->ev.leader = (unsigned)v->nr_events;
	j->last = p;
	if (ev->leader < p->nr_events)
		j->ev.leader = p->events[ev->leader]->ev.index;
	PT_GROW(v->events, v->nr_events, v->cap_events);
	v->events[v->nr_events++] = j;
	return j;
}

static void add_ids(struct pt_several *v, struct joined_event *j, const struct pt_event *ev)
{
	uint64_t *ids = (uint64_t *)(uintptr_t)j->ev.ids;
	size_t i;

	for (i = 0; i < ev->nr_ids; i++) {
		uint64_t *seen = pt_map_put(&v->ids, ev->ids[i]);

		if (*seen)
			continue;
		*seen = 1;
		PT_GROW(ids, j->ev.nr_ids, j->cap_ids);
		ids[j->ev.nr_ids++] = ev->ids[i];
	}
	j->ev.ids = ids;
}

/* Takes the events and build-ids that the recording has told by now. */
static void take_news(struct pt_several *v, struct part *p)
{
	while (p->nr_events < pt_source_nr_events(p->src)) {
		const struct pt_event *ev = pt_source_event(p->src, p->nr_events);
		struct joined_event *j = join(v, p, ev);

		add_ids(v, j, ev);
		PT_GROW(p->events, p->nr_events, p->cap_events);
		p->events[p->nr_events++] = j;
	}
	while (p->nr_build_ids < pt_source_nr_build_ids(p->src)) {
		PT_GROW(v->build_ids, v->nr_build_ids, v->cap_build_ids);
		v->build_ids[v->nr_build_ids++] = *pt_source_build_id(p->src, p->nr_build_ids++);
	}
}

size_t several_nr_events(const struct pt_several *v) { return v->nr_events; }

const struct pt_event *several_event(const struct pt_several *v, size_t i)
{
	return i < v->nr_events ? &v->events[i]->ev : NULL;
}

struct pt_tp_db *several_tps(const struct pt_several *v) { return v->parts[0].src->st.tps; }

size_t several_nr_build_ids(const struct pt_several *v) { return v->nr_build_ids; }

const struct pt_build_id_entry *several_build_id(const struct pt_several *v, size_t i)
{
	return i < v->nr_build_ids ? &v->build_ids[i] : NULL;
}

/* -- records -- */

static void advance(struct pt_several *v, struct part *p)
{
	struct pt_err e = PT_ERR_INIT;
	int rc = pt_source_next(p->src, &p->next, &e);
	struct pt_record *rec = &p->src->decoder.rec;

	if (rc <= 0) {
		p->next = NULL;
		p->over = true;
		if (rc < 0)
			note_damage(v, &e);
		return;
	}
	take_news(v, p);
	if (rec->event)
		rec->event = &p->events[rec->event->index]->ev;
	if (has_time(rec) && rec->time_ns > p->time_ns)
		p->time_ns = rec->time_ns;
}

/* The one with the oldest next record; NULL: all are over. */
static struct part *oldest(struct pt_several *v)
{
	struct part *best, *p;
	size_t i;

	for (;;) {
		best = NULL;
		while (v->first < v->nr_begun && v->parts[v->first].over)
			v->first++;
		for (i = v->first; i < v->nr_begun; i++) {
			p = &v->parts[i];
			if (!p->over && (!best || p->time_ns < best->time_ns))
				best = p;
		}
		if (v->nr_begun == v->nr ||
		    (best && best->time_ns <= v->parts[v->nr_begun].start_ns))
			return best;
		p = &v->parts[v->nr_begun++];
		p->time_ns = p->start_ns;
		advance(v, p);
	}
}

/* At the end, reports what was wrong. */
static int end(struct pt_several *v, struct pt_err *e)
{
	v->over = true;
	if (!v->nr_bad)
		return 0;
	if (e)
		*e = v->bad;
	if (v->nr_bad > 1)
		pt_err_advice(e, " (and %zu more of the recordings could not be read as a whole)",
			      v->nr_bad - 1);
	return -1;
}

int several_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e)
{
	struct pt_several *v = s->several;

	if (v->over)
		return 0;
	if (__atomic_load_n(&s->st.stop, __ATOMIC_RELAXED)) {
		v->over = true;
		return pt_err_set(e, "the recordings: interrupted: what follows was not read");
	}
	if (v->last)
		advance(v, v->last);
	v->last = oldest(v);
	if (!v->last)
		return end(v, e);
	*rec = v->last->next;
	return 1;
}

/* -- figures -- */

const struct pt_tally *several_tally(struct pt_source *s)
{
	struct pt_tally *sum = &s->shown;
	size_t i, k;

	*sum = (struct pt_tally){ 0 };
	for (i = 0; i < s->several->nr; i++) {
		const struct pt_tally *t = pt_source_tally(s->several->parts[i].src);

		sum->samples += t->samples;
		sum->lost += t->lost;
		sum->undelivered += t->undelivered;
		sum->lost_unknown += t->lost_unknown;
		sum->late += t->late;
		sum->aux_bytes += t->aux_bytes;
		sum->throttled += t->throttled;
		sum->unknown_records += t->unknown_records;
		sum->unknown_type = sum->unknown_type ? sum->unknown_type : t->unknown_type;
		sum->no_event += t->no_event;
		sum->dropped += t->dropped;
		for (k = 0; k < PT_NR_OWN_RECORDS; k++)
			sum->own_records[k] += t->own_records[k];
	}
	return sum;
}

struct pt_event_tally several_event_tally(const struct pt_several *v, const struct pt_event *ev)
{
	struct pt_event_tally sum = { 0 };
	size_t i, k;

	for (i = 0; i < v->nr; i++) {
		const struct part *p = &v->parts[i];

		for (k = 0; k < p->nr_events; k++) {
			struct pt_event_tally t;

			if (&p->events[k]->ev != ev)
				continue;
			t = pt_source_event_tally(p->src, pt_source_event(p->src, k));
			sum.samples += t.samples;
			sum.lost += t.lost;
			sum.dropped += t.dropped;
			sum.undelivered += t.undelivered;
		}
	}
	return sum;
}
