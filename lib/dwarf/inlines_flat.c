#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort16.h"
#include "dwarf/inlines_priv.h"

enum { VERSION = 4, LARGE = 4 << 20, WORTH = 16 };

static const char magic[8] = "ptinl\0\0\2";	/* the last byte is the version */

bool pt_inlines_use(struct pt_inlines *in, const void *bytes, size_t len)
{
	const struct flat_header *h = bytes;
	uint64_t left = len;

	if (len < sizeof(*h) || (uintptr_t)bytes % 8 || memcmp(h->magic, magic, sizeof(magic)))
		return false;
	left -= sizeof(*h);
	if (h->nr_segments > left / sizeof(struct flat_segment))
		return false;
	left -= h->nr_segments * sizeof(struct flat_segment);
	if (h->nr_nodes > left / sizeof(struct flat_node))
		return false;
	left -= h->nr_nodes * sizeof(struct flat_node);
	if (!left || h->strings_bytes != left || ((const char *)bytes)[len - 1])
		return false;
	in->flat.segments = (const struct flat_segment *)(h + 1);
	in->flat.nodes = (const struct flat_node *)(in->flat.segments + h->nr_segments);
	in->flat.strings = (const char *)(in->flat.nodes + h->nr_nodes);
	in->flat.nr_segments = h->nr_segments;
	in->flat.nr_nodes = h->nr_nodes;
	in->flat.strings_bytes = h->strings_bytes;
	return true;
}

struct making {
	struct flat_segment *segments;
	size_t nr_segments, cap_segments;
	struct flat_node *nodes;
	size_t nr_nodes, cap_nodes;
	uint32_t *number;		/* node of the reader -> index in nodes + 1; 0: not yet */
	struct pt_buf strings;
	struct pt_map known;		/* hash of a string -> offset + 1 */
};

static uint32_t inlines_flat_add_string(struct making *m, const char *s)
{
	size_t len = strlen(s);
	uint64_t *slot = pt_map_put(&m->known, pt_hash_quick(s, len));
	uint32_t off = (uint32_t)m->strings.len;

	if (*slot && !strcmp(m->strings.data + *slot - 1, s))
		return (uint32_t)(*slot - 1);
	if (m->strings.len + len + 1 > INT32_MAX)
		return 0;		/* "" */
	if (!*slot)
		*slot = off + 1ull;
	pt_buf_add(&m->strings, s, len + 1);
	return off;
}

/* Parents precede children. */
static uint32_t inlines_flat_add_node(struct pt_inlines *in, struct making *m, uint32_t i)
{
	struct node *n = &in->nodes[i];
	uint32_t parent;

	if (!m->number[i]) {
		parent = n->parent < 0 ? FLAT_NOTHING
				       : inlines_flat_add_node(in, m, (uint32_t)n->parent);
		pt_inlines_name_node(in, n);
		PT_GROW(m->nodes, m->nr_nodes, m->cap_nodes);
		m->nodes[m->nr_nodes++] =
			(struct flat_node){ parent,
					    inlines_flat_add_string(m, n->name) * 2 + n->linkage };
		m->number[i] = (uint32_t)m->nr_nodes;
	}
	return m->number[i] - 1;
}

/* No range is longer than 2 GB. */
static void add_segment(struct making *m, uint64_t lo, uint64_t hi, uint32_t node)
{
	PT_GROW(m->segments, m->nr_segments, m->cap_segments);
	m->segments[m->nr_segments++] = (struct flat_segment){ lo, (uint32_t)(hi - lo), node };
}

/* Adds what of a function is within [lo, hi). */
static void inlines_flat_add_function(struct pt_inlines *in, struct making *m,
				      const struct function *f, uint64_t lo, uint64_t hi)
{
	const struct ranges *r = &f->ranges;
	size_t from;

	for (from = PT_LEADING(r->nr, i, r->v[i].hi <= lo); from < r->nr && r->v[from].lo < hi;
	     from++) {
		uint64_t start = PT_MAX(r->v[from].lo, lo), end = PT_MIN(r->v[from].hi, hi);

		if (lo < start)
			add_segment(m, lo, start, inlines_flat_add_node(in, m, f->node));
		add_segment(m, start, end, inlines_flat_add_node(in, m, r->v[from].index));
		lo = end;
	}
	if (lo < hi)
		add_segment(m, lo, hi, inlines_flat_add_node(in, m, f->node));
}

/* Of the unit's functions only what the table of units calls the unit's. */
static void add_unit(struct pt_inlines *in, struct making *m, const struct range *of)
{
	const struct unit *u = &in->units[UINT32_MAX - of->index];
	size_t i;

	if (!u->read)
		return;
	for (i = 0; i < u->ranges.nr; i++) {
		const struct range *r = &u->ranges.v[i];

		if (u->functions[r->index].read && r->lo < of->hi && r->hi > of->lo)
			inlines_flat_add_function(in, m, &u->functions[r->index],
						  PT_MAX(r->lo, of->lo), PT_MIN(r->hi, of->hi));
	}
}

static void add_old(const struct flat *t, struct making *m)
{
	size_t i;

	for (i = 0; i < t->strings_bytes; i += strlen(t->strings + i) + 1)
		inlines_flat_add_string(m, t->strings + i);
	for (i = 0; i < t->nr_nodes; i++) {
		uint32_t name = inlines_flat_add_string(m, pt_flat_name(t, &t->nodes[i]));

		PT_GROW(m->nodes, m->nr_nodes, m->cap_nodes);
		m->nodes[m->nr_nodes++] = (struct flat_node){ t->nodes[i].parent,
							      name * 2 + (t->nodes[i].name & 1) };
	}
	for (i = 0; i < t->nr_segments; i++)
		add_segment(m, t->segments[i].lo,
			    t->segments[i].lo +
				    PT_MIN(t->segments[i].len, UINT64_MAX - t->segments[i].lo),
			    t->segments[i].node);
}

/* By address; of overlapping ones (only in damaged tables) the first. */
static void settle(struct making *m)
{
	size_t i, nr = 0;

	pt_sort16(m->segments, m->nr_segments);
	for (i = 0; i < m->nr_segments; i++) {
		struct flat_segment *last = nr ? &m->segments[nr - 1] : NULL, x = m->segments[i];

		if (last && x.lo - last->lo < last->len)
			continue;
		if (last && x.lo - last->lo == last->len && last->node == x.node &&
		    (uint64_t)last->len + x.len <= UINT32_MAX)
			last->len += x.len;
		else
			m->segments[nr++] = x;
	}
	m->nr_segments = nr;
}

void pt_inlines_flat(struct pt_inlines *in, struct pt_buf *out)
{
	struct making m = { .number = pt_alloc_array(in->nr_nodes, sizeof(uint32_t)) };
	struct flat_header h;
	size_t i;

	inlines_flat_add_string(&m, "");
	add_old(&in->flat, &m);
	for (i = 0; i < in->ranges.nr; i++)
		add_unit(in, &m, &in->ranges.v[i]);
	for (i = 0; i < in->nr_nothing; i++)
		if (in->nothing[i] < UINT64_MAX)
			add_segment(&m, in->nothing[i], in->nothing[i] + 1, FLAT_NOTHING);
	settle(&m);
	memcpy(h.magic, magic, sizeof(magic));
	h.nr_segments = m.nr_segments;
	h.nr_nodes = m.nr_nodes;
	h.strings_bytes = m.strings.len;
	pt_buf_add(out, &h, sizeof(h));
	if (m.nr_segments)
		pt_buf_add(out, m.segments, m.nr_segments * sizeof(*m.segments));
	if (m.nr_nodes)
		pt_buf_add(out, m.nodes, m.nr_nodes * sizeof(*m.nodes));
	pt_buf_join(out, &m.strings);
	free(m.segments);
	free(m.nodes);
	free(m.number);
	pt_buf_deinit(&m.strings);
	pt_map_deinit(&m.known);
}

struct key { struct pt_stamp object, debug; };

/* False: the files cannot be identified. */
static bool inlines_flat_make_key(const struct pt_inlines *in, const struct pt_object *object,
				  char name[80], struct key *k)
{
	char text[PT_STAMP_TEXT];

	memset(k, 0, sizeof(*k));
	if (!object->build_id.len || !pt_object_stamp(object, &k->object) ||
	    !pt_object_stamp(in->debug, &k->debug))
		return false;
	snprintf(name, 80, "inl-%s", pt_stamp_text(&k->object, text));
	return true;
}

void pt_inlines_load(struct pt_inlines *in, struct pt_diskcache *keep,
		     const struct pt_object *object)
{
	struct key k;
	char name[80];

	if (keep && inlines_flat_make_key(in, object, name, &k) &&
	    pt_diskcache_get(keep, name, VERSION, &k, sizeof(k), &in->kept))
		pt_inlines_use(in, in->kept.data, in->kept.len_bytes);
}

void pt_inlines_save(struct pt_inlines *in, struct pt_diskcache *keep,
		     const struct pt_object *object)
{
	struct pt_buf flat = PT_BUF_INIT;
	struct iovec part;
	char name[80];
	struct key k;

	/* Writing a large table for a few more functions costs more than reading them again. */
	if (!keep || !in->learned || (in->kept.len_bytes > LARGE && in->learned < WORTH) ||
	    !inlines_flat_make_key(in, object, name, &k))
		return;
	pt_inlines_flat(in, &flat);
	part = (struct iovec){ flat.data, flat.len };
	pt_diskcache_put(keep, name, VERSION, &k, sizeof(k), &part, 1);
	pt_buf_deinit(&flat);
}
