#include "tracepoint/tp_priv.h"

#include <stdio.h>

#include "base/mem.h"

/* Guards of a probe's fields. If a kernel cannot read a probe's value, the field keeps the bytes
 * that were in the buffer: an older value. A string that it cannot read has the length 0 (in
 * kernels 6.2 to 6.5 the text "(fault)"); any other string has at least its NUL. If a pointer on
 * the way to the string cannot be read, nothing is stored: the length is the room that was left,
 * and the next dynamic field's data begin at the same place (store_trace_args() in
 * kernel/trace/trace_probe_tmpl.h). So pt-probe fetches a string __ok_NAME at the last byte of the
 * value NAME, and __ok0_NAME at the first byte of a value that may cross a page. They are a probe's
 * last fields. */

static const char *const prefixes[PT_TP_GUARDS] = { "__ok_", "__ok0_" };

bool pt_tp_guard_name(unsigned which, const char *name, char text[PT_TP_GUARD_BYTES])
{
	int n = snprintf(text, PT_TP_GUARD_BYTES, "%s%s", prefixes[which], name);

	return n < PT_TP_GUARD_BYTES;
}

bool pt_tp_is_guard(const char *name)
{
	for (size_t i = 0; i < PT_NR(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

bool pt_tp_is_companion(const char *name)
{
	return !strncmp(name, PT_TP_LENGTH_OF, strlen(PT_TP_LENGTH_OF)) ||
	       !strncmp(name, PT_TP_FLOAT_OF, strlen(PT_TP_FLOAT_OF));
}

static bool is_dynamic_string(const struct pt_tp_field *f)
{
	return (f->flags & PT_TP_DYNAMIC) && (f->flags & PT_TP_STRING);
}

/* Data of dynamic fields are in the order of the fields. */
static uint16_t next_dynamic(const struct pt_tp_field *fields, size_t nr,
			     const struct pt_tp_field *guard)
{
	uint32_t next = 0;

	for (size_t i = 0; i < nr; i++)
		if (fields[i].flags & PT_TP_DYNAMIC && fields[i].off > guard->off &&
		    (!next || fields[i].off < next))
			next = fields[i].off;
	return next <= UINT16_MAX ? (uint16_t)next : 0;
}

static void guard_by(struct pt_tp_field *f, const struct pt_tp_field *fields, size_t nr,
		     const struct pt_tp_field *guard)
{
	if (f->nr_guards >= PT_TP_GUARDS || guard->off > UINT16_MAX)
		return;
	f->after_guards[f->nr_guards] = next_dynamic(fields, nr, guard);
	f->guards[f->nr_guards++] = (uint16_t)guard->off;
}

/* Of a value that is there: a length is for text, a number is of a size that floats have. */
static void accompany(struct pt_tp_field *f, const struct pt_tp_field *by)
{
	if (!strncmp(by->name, PT_TP_LENGTH_OF, strlen(PT_TP_LENGTH_OF))) {
		if (strcmp(by->name + strlen(PT_TP_LENGTH_OF), f->name) || !is_dynamic_string(f) ||
		    by->off > UINT16_MAX)
			return;
		f->length_off = (uint16_t)by->off;
		f->length_bytes = (uint16_t)by->size_bytes;
	} else if (!strcmp(by->name + strlen(PT_TP_FLOAT_OF), f->name) && pt_tp_is_number(f) &&
		   f->size_bytes >= sizeof(float)) {
		f->flags |= PT_TP_FLOAT;
	}
}

static bool is_hidden(const struct pt_tp_field *f)
{
	return (is_dynamic_string(f) && pt_tp_is_guard(f->name)) ||
	       (pt_tp_is_number(f) && pt_tp_is_companion(f->name));
}

void pt_tp_find_guards(struct pt_tp *tp)
{
	struct pt_tp_field *fields = (struct pt_tp_field *)tp->fields, *guard;
	char want[PT_TP_GUARD_BYTES];
	size_t all = tp->nr_fields, i, k;
	unsigned which;

	if (!pt_tp_field(tp, "__probe_ip") && !pt_tp_field(tp, "__probe_func"))
		return;
	while (tp->nr_fields > tp->nr_common && is_hidden(&fields[tp->nr_fields - 1]))
		tp->nr_fields--;
	tp->nr_guards = all - tp->nr_fields;
	for (i = tp->nr_common; i < tp->nr_fields; i++) {
		/* A string needs no guard; of an array of strings only single u32s are examined */
		if (is_dynamic_string(&fields[i]) && fields[i].size_bytes == 4)
			guard_by(&fields[i], fields, all, &fields[i]);
		for (k = tp->nr_fields; k < all; k++)
			if (pt_tp_is_companion(fields[k].name))
				accompany(&fields[i], &fields[k]);
		for (which = 0; which < PT_TP_GUARDS; which++) {
			if (!pt_tp_guard_name(which, fields[i].name, want))
				continue;
			for (k = tp->nr_fields; k < all; k++) {
				guard = &fields[k];
				if (!strcmp(guard->name, want))
					guard_by(&fields[i], fields, all, guard);
			}
		}
	}
}

static bool tp_guard_is_fault(const uint8_t *raw, size_t len, size_t off, size_t after, bool swap)
{
	static const char text[] = "(fault)";
	uint32_t loc;
	size_t at;

	if (off + 4 > len)
		return true;
	loc = pt_load32(raw + off, swap);
	at = loc & 0xffff;
	if (after && after + 4 <= len && loc >> 16 && (pt_load32(raw + after, swap) & 0xffff) == at)
		return true;
	if (loc >> 16 != sizeof(text))
		return !(loc >> 16);
	return at + sizeof(text) <= len && !memcmp(raw + at, text, sizeof(text));
}

bool pt_tp_guards_fault(const struct pt_tp_field *f, const void *raw, size_t len, bool swap)
{
	for (unsigned i = 0; i < f->nr_guards; i++)
		if (tp_guard_is_fault(raw, len, f->guards[i], f->after_guards[i], swap))
			return true;
	return false;
}
