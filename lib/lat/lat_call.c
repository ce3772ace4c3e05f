/* System calls, probes and any two events: paired by thread or by named fields. */
#include "lat/lat_priv.h"

#include <string.h>

#include "base/text.h"

enum { CALLED = 1, BORN = 2, MAX_NESTED = 4096 };

/* Samples do not know the tid (0) of a thread outside the recorder's pid namespace; the
 * tracepoint's common_pid does. */
static uint64_t lat_call_thread_of(const struct pt_record *rec)
{
	if (rec->tid + 1 > 1 || !(rec->has & PERF_SAMPLE_RAW) || rec->sample.raw_len < 8)
		return rec->tid;
	return 1ull << 32 | pt_load32((const uint8_t *)rec->sample.raw + 4, rec->swap);
}

/* Calls are paired by thread, which is in one call at a time. */

static bool lat_call_wanted(const struct pt_lat *l, int64_t nr)
{
	if (!l->wanted)
		return true;
	for (size_t i = 0; i < l->nr_wanted; i++)
		if (l->wanted[i] == nr)
			return true;
	return false;
}

static int64_t lat_call_call_of(const struct lat_event *ev, const struct pt_record *rec)
{
	return ev->f[F_ID].size_bytes ? (int64_t)lat_load(&ev->f[F_ID], rec) : ev->call;
}

int lat_call_enter(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		   struct pt_latency *out)
{
	int64_t nr = lat_call_call_of(ev, rec);
	struct pt_pending_start *o;

	(void)out;
	if (l->calls == CALLS_RAW && !lat_call_wanted(l, nr))
		return 0;
	o = pt_pending_find(&l->pending, lat_call_thread_of(rec), 0);
	if (o && o->flags == CALLED)
		l->n.unanswered++;
	if (!o)
		o = pt_pending_add(&l->pending, lat_call_thread_of(rec), 0);
	lat_fill(l, o, rec, NULL);
	o->nr = (uint32_t)nr;
	o->flags = CALLED;
	return 0;
}

/* A return without its call: of the fork that made the thread, of an older call, or of one whose
 * thread changed its tid (a thread that calls exec takes the leader's). */
static int return_alone(struct pt_lat *l, struct pt_pending_start *o)
{
	if (!o || o->flags != BORN) {
		l->n.unpaired++;
		l->n.unanswered += o != NULL;
	}
	if (o)
		pt_pending_take(&l->pending, o);
	return 0;
}

int lat_call_exit(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		  struct pt_latency *out)
{
	int64_t nr = lat_call_call_of(ev, rec), ret;
	struct pt_pending_start *o = pt_pending_find(&l->pending, lat_call_thread_of(rec), 0);

	if (l->calls == CALLS_RAW && !lat_call_wanted(l, nr) &&
	    !(nr == -1 && o && o->flags == CALLED)) {
		if (o && o->flags == BORN)
			pt_pending_take(&l->pending, o);
		return 0;
	}
	/* A return from a signal ends with call -1, whatever number it had. */
	if (!o || o->flags != CALLED || ((int32_t)o->nr != (int32_t)nr && nr != -1))
		return return_alone(l, o);
	lat_plain(out);
	out->nr = (int32_t)o->nr;
	out->name = ev->name ? ev->name : pt_sysnr_name(l->call_names, out->nr);
	ret = (int64_t)lat_load(&ev->f[F_RET], rec);
	out->error = ret < 0 && ret >= -4095 ? (int32_t)ret : 0;
	return lat_end(l, o, rec, out);
}

void lat_call_fork(struct pt_lat *l, const struct pt_record *rec)
{
	struct pt_pending_start *o = pt_pending_find(&l->pending, rec->u.task.tid, 0);

	if (o || !rec->u.task.tid)
		return;
	o = pt_pending_add(&l->pending, rec->u.task.tid, 0);
	o->start_ns = rec->u.task.time_ns;
	o->flags = BORN;
}

/* exit and exit_group do not return. */
static bool never_returns(const struct pt_lat *l, const struct pt_pending_start *o)
{
	const char *name =
		l->kind == PT_LAT_SYSCALL ? pt_sysnr_name(l->call_names, (int32_t)o->nr) : NULL;

	return name && (!strcmp(name, "exit") || !strcmp(name, "exit_group"));
}

void lat_call_died(struct pt_lat *l, const struct pt_record *rec)
{
	struct pt_pending_start *o = pt_pending_find(&l->pending, rec->u.task.tid, 0);

	if (!o)
		return;
	l->n.died += o->flags != BORN && !never_returns(l, o);
	pt_pending_take_all(&l->pending, o);
}

size_t lat_call_open(const struct pt_lat *l)
{
	size_t i = 0, n = 0;
	struct pt_pending_start *o;

	while ((o = pt_pending_each(&l->pending, &i)))
		n += o->flags != BORN;
	return n;
}

bool lat_call_of_open(const struct pt_lat *l, const struct pt_pending_start *o,
		      struct pt_latency *out)
{
	if (o->flags == BORN || never_returns(l, o))
		return false;
	lat_plain(out);
	out->nr = (int32_t)o->nr;
	out->name = pt_sysnr_name(l->call_names, out->nr);
	return true;
}

/* Probes nest: a function may call itself. */

int lat_probe_entry(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		    struct pt_latency *out)
{
	struct pt_pending_start *o = pt_pending_find(&l->pending, lat_call_thread_of(rec), 0);

	(void)out, (void)ev;
	if (o && o->depth >= MAX_NESTED)
		l->n.unanswered += pt_pending_take_all(&l->pending, o);
	o = pt_pending_push(&l->pending, lat_call_thread_of(rec), 0);
	lat_fill(l, o, rec, NULL);
	o->flags = CALLED;
	return 0;
}

int lat_probe_return(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		     struct pt_latency *out)
{
	struct pt_pending_start *o = pt_pending_find(&l->pending, lat_call_thread_of(rec), 0);

	(void)ev;
	if (!o) {
		l->n.unpaired++;
		return 0;
	}
	lat_plain(out);
	return lat_end(l, o, rec, out);
}

/* Two events with equal fields. The table's key holds two values exactly; further ones are added as
 * a 64-bit hash. */

static uint64_t key_value(const struct lat_key *k, const struct pt_record *rec)
{
	const void *p;
	size_t len;

	switch (k->kind) {
	case LAT_KEY_NUMBER:
		return lat_load(&k->f, rec);
	case LAT_KEY_TID:
		return lat_call_thread_of(rec);
	case LAT_KEY_PID:
		return rec->pid;
	case LAT_KEY_CPU:
		return rec->cpu;
	case LAT_KEY_BYTES:
		if (pt_tp_data(k->tp_field, rec->sample.raw, rec->sample.raw_len, rec->swap, &p,
			       &len))
			return pt_hash_bytes(p, len);
		break;
	}
	return 0;
}

/* False: the kernel could not read one of the keys, so the record is not paired. */
static bool keys_of(struct pt_lat *l, const struct lat_key *keys, const struct pt_record *rec,
		    uint64_t *k0, uint64_t *k1)
{
	for (size_t i = 0; i < l->nr_keys; i++) {
		const struct pt_tp_field *f = keys[i].tp_field;

		if (f && pt_tp_faulted(f, rec->sample.raw, rec->sample.raw_len, rec->swap)) {
			l->n.unread_keys++;
			return false;
		}
	}
	*k0 = key_value(&keys[0], rec);
	*k1 = l->nr_keys > 1 ? key_value(&keys[1], rec) : 0;
	for (size_t i = 2; i < l->nr_keys; i++)
		*k1 = pt_hash64(*k1 ^ pt_hash64(key_value(&keys[i], rec) + i));
	return true;
}

int lat_fields(struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
	       struct pt_latency *out)
{
	struct pt_pending_start *o;
	uint64_t k0, k1;
	int rc = 0;

	if (ev->is_to) {
		if (!keys_of(l, ev->to, rec, &k0, &k1))
			return 0;
		o = pt_pending_find(&l->pending, k0, k1);
		/* Of an event that is both, the first of its key ends nothing. */
		l->n.unpaired += !o && !ev->is_from;
		if (o) {
			lat_plain(out);
			rc = lat_end(l, o, rec, out);
		}
	}
	/* The same event may start what has another key: a switch, by the task that comes in. */
	if (ev->is_from && keys_of(l, ev->from, rec, &k0, &k1)) {
		o = pt_pending_find(&l->pending, k0, k1);
		l->n.unanswered += o != NULL;
		lat_fill(l, o ? o : pt_pending_add(&l->pending, k0, k1), rec, NULL);
	}
	return rc;
}

void lat_key_words(const struct pt_lat *l, const struct lat_event *ev, const struct pt_record *rec,
		   struct pt_buf *out)
{
	const void *p;
	size_t len;

	for (size_t i = 0; i < l->nr_keys; i++) {
		const struct lat_key *k = &ev->to[i];	/* of the record that ends it */

		if (i)
			pt_buf_putc(out, ' ');
		pt_text_puts(out, k->name);
		pt_buf_putc(out, '=');
		if (k->kind != LAT_KEY_BYTES) {
			if (k->kind == LAT_KEY_TID)
				pt_buf_dec(out, rec->tid);
			else if (k->f.is_signed)
				pt_buf_dec_signed(out, (int64_t)key_value(k, rec));
			else
				pt_buf_dec(out, key_value(k, rec));
		} else if (k->tp_field->flags & PT_TP_STRING &&
			   pt_tp_data(k->tp_field, rec->sample.raw, rec->sample.raw_len, rec->swap,
				      &p, &len)) {
			pt_text_plain(out, p, len);
		}
	}
}
