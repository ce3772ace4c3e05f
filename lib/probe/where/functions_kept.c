#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "probe/where/functions_priv.h"

/* Reading fewer names takes no longer than finding them kept. */
enum { VERSION = 4, WORTH = 256 };

/* Heads both items: `nr` 32-bit numbers follow, then the text. Of the mangled names nr is the
 * number of functions plus one; `others`: mangled names exist, in an item of their own. */
struct head { uint64_t nr, text_len, others; };

/* Without and with functions that are only inlined: the text, the mangled names */
static const char *const kinds[2][2] = { { "fns", "fnm" }, { "fni", "fnj" } };

struct key { struct pt_stamp object, debug, alternate; };
_Static_assert(sizeof(struct key) <= PT_KEEP_KEY_MAX, "a key fits");

static bool tell(const struct pt_object *o, struct pt_stamp *s)
{
	return o->build_id.len && pt_object_stamp(o, s);
}

/* False: there is no cache, or the file cannot be identified. */
static bool make_key(struct pt_target *t, struct key *k)
{
	const struct pt_dw_file *alt = t->keep && t->dwarf ? pt_dw_alt(t->dwarf->main) : NULL;

	memset(k, 0, sizeof(*k));
	if (!t->keep || !tell(t->object, &k->object) || (t->debug && !tell(t->debug, &k->debug)) ||
	    (alt && !tell(alt->object, &k->alternate)))
		return false;
	return true;
}

static const char *name_of(char name[96], const char *kind, const struct key *k)
{
	char text[PT_STAMP_TEXT];

	snprintf(name, 96, "%s-%s", kind, pt_stamp_text(&k->object, text));
	return name;
}

/* Checks that numbers rise by `least` at least, from 0 to within the text. */
static bool is_good(const uint32_t *v, uint64_t nr, uint32_t mask, uint32_t least,
		    uint64_t text_len)
{
	uint64_t i;

	if (!nr || (v[0] & mask))
		return false;
	for (i = 1; i < nr; i++)
		if ((v[i] & mask) < (uint64_t)(v[i - 1] & mask) + least)
			return false;
	return (v[nr - 1] & mask) + (uint64_t)least <= text_len;
}

static bool open_item(struct pt_target *t, const char *kind, const struct key *k,
		      struct pt_kept *kept, const uint32_t **v, const char **text, struct head *h)
{
	char name[96];
	uint64_t left;

	if (!pt_keep_get(t->keep, name_of(name, kind, k), VERSION, k, sizeof(*k), kept))
		return false;
	left = kept->len_bytes;
	if (left < sizeof(*h))
		return false;
	memcpy(h, kept->data, sizeof(*h));
	left -= sizeof(*h);
	if (h->nr > left / sizeof(**v) || h->text_len != left - h->nr * sizeof(**v) ||
	    h->text_len >= PT_FN_TEXT_MAX)
		return false;
	*v = (const uint32_t *)(kept->data + sizeof(*h));
	*text = (const char *)(*v + h->nr);
	return true;
}

static bool get(struct pt_functions *l, struct pt_target *t, const char *const *kind, bool mangled,
		const struct key *k)
{
	struct head h;

	if (!open_item(t, kind[0], k, &l->kept, &l->entries, &l->text, &h) ||
	    !is_good(l->entries, h.nr, PT_FN_TEXT_MAX - 1, 1, h.text_len) ||
	    l->text[h.text_len - 1] != '\n')
		return false;
	l->others = h.others;
	l->nr_entries = h.nr;
	l->text_len = h.text_len;
	if (!mangled || !h.others)
		return true;
	if (!open_item(t, kind[1], k, &l->kept_mangled, &l->mangled_at, &l->mangled, &h))
		return false;
	l->mangled_len = h.text_len;
	return h.nr == l->nr_entries + 1 &&
	       is_good(l->mangled_at, h.nr, UINT32_MAX, 0, h.text_len) && h.text_len &&
	       !l->mangled[h.text_len - 1];
}

bool pt_fn_get_kept(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled)
{
	struct key k;

	if (make_key(t, &k) && get(l, t, kinds[inlined], mangled, &k))
		return true;
	pt_functions_deinit(l);
	return false;
}

static bool put(struct pt_target *t, const char *kind, const struct key *k, const uint32_t *v,
		size_t nr, const char *text, size_t text_len, bool others)
{
	struct head h = { nr, text_len, others };
	struct iovec parts[] = { { &h, sizeof(h) },
				 { (void *)(uintptr_t)v, nr * sizeof(*v) },
				 { (void *)(uintptr_t)text, text_len } };
	char name[96];

	return pt_keep_put(t->keep, name_of(name, kind, k), VERSION, k, sizeof(*k), parts,
			   PT_NR(parts));
}

void pt_fn_put_kept(const struct pt_functions *l, struct pt_target *t, bool inlined)
{
	struct key k;

	if (l->nr_entries < WORTH || !make_key(t, &k))
		return;
	if (!l->mangled_at || put(t, kinds[inlined][1], &k, l->mangled_at, l->nr_entries + 1,
				  l->mangled, l->mangled_len, false))
		put(t, kinds[inlined][0], &k, l->entries, l->nr_entries, l->text, l->text_len,
		    l->others);
}
