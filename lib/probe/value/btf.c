#include "probe/value/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "probe/value/type_priv.h"

enum { MAX_CHAIN = 64, MAX_ANON = 16 };

static const char *name_at(const struct btf *b, uint32_t off)
{
	const char *s = btf__name_by_offset(b, off);

	return s ? s : "";
}

static struct pt_type btf_type_of(const struct btf *b, uint32_t id)
{
	return (struct pt_type){ .btf = b, .id = id, .none = !id };
}

/* Skips typedefs and qualifiers. *user: the type is tagged as memory of user space. Returns NULL
 * for void and for damaged types. */
static const struct btf_type *btf_strip(const struct btf *b, uint32_t *id, bool *user)
{
	const struct btf_type *t = btf__type_by_id(b, *id);

	for (int i = 0; t && i < MAX_CHAIN; i++) {
		switch (btf_kind(t)) {
		case BTF_KIND_TYPE_TAG:
			*user |= !strcmp(name_at(b, t->name_off), "user");
			/* fall through */
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
			*id = t->type;
			t = t->type ? btf__type_by_id(b, t->type) : NULL;
			continue;
		}
		break;
	}
	return t && btf_kind(t) != BTF_KIND_UNKN ? t : NULL;
}

void pt_type_btf_info(const struct pt_type *t, struct pt_type_info *i)
{
	uint32_t id = t->id, target;
	bool user = false;
	const struct btf_type *b = btf_strip(t->btf, &id, &user);
	int64_t size = b ? btf__resolve_size(t->btf, id) : 0;

	*i = (struct pt_type_info){ .bare = btf_type_of(t->btf, id),
				    .size_bytes = size > 0 ? (uint64_t)size : 0 };
	if (!b) {
		i->kind = id ? PT_TYPE_UNKNOWN : PT_TYPE_VOID;
		return;
	}
	switch (btf_kind(b)) {
	case BTF_KIND_INT:
		i->kind = PT_TYPE_INTEGER;
		i->is_signed = btf_int_encoding(b) & BTF_INT_SIGNED;
		i->is_bool = btf_int_encoding(b) & BTF_INT_BOOL;
		i->is_char = b->size == 1 && !i->is_bool &&
			     strcmp(name_at(t->btf, b->name_off), "_Bool");
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		i->kind = PT_TYPE_INTEGER;
		i->is_signed = btf_kflag(b);
		break;
	case BTF_KIND_FLOAT:
		i->kind = PT_TYPE_FLOAT;
		break;
	case BTF_KIND_PTR:
		i->kind = PT_TYPE_POINTER;
		i->target = btf_type_of(t->btf, b->type);
		target = b->type;
		btf_strip(t->btf, &target, &i->to_user);
		break;
	case BTF_KIND_ARRAY:
		i->kind = PT_TYPE_ARRAY;
		i->target = btf_type_of(t->btf, btf_array(b)->type);
		i->nr = btf_array(b)->nelems;
		break;
	case BTF_KIND_FWD:
		i->incomplete = true;
		/* fall through */
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		i->kind = PT_TYPE_STRUCT;
		i->is_union = btf_kind(b) == BTF_KIND_UNION || (i->incomplete && btf_kflag(b));
		break;
	case BTF_KIND_FUNC_PROTO:
		i->kind = PT_TYPE_FUNCTION;
		break;
	}
}

/* The structure or union that a type is; NULL: it is none. */
static const struct btf_type *structure(const struct btf *b, uint32_t id)
{
	bool user = false;
	const struct btf_type *t = btf_strip(b, &id, &user);

	return t && (btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION) ? t : NULL;
}

struct member_search {
	const struct btf *btf;
	const char *name;
	struct pt_type_names *list;
	uint64_t first_bit;		/* of the member that was found */
	unsigned bits;
};

/* Searches structures without name, too. */
static const struct btf_member *find_member(struct member_search *s, const struct btf_type *t,
					    unsigned depth)
{
	const struct btf_member *m = btf_members(t), *found = NULL;

	for (unsigned i = 0; i < btf_vlen(t) && !found; i++, m++) {
		const char *n = name_at(s->btf, m->name_off);
		const struct btf_type *inner =
			*n || depth >= MAX_ANON ? NULL : structure(s->btf, m->type);

		if (inner)
			found = find_member(s, inner, depth + 1);
		else if (s->list && *n && !pt_type_list_name(s->list, n))
			return NULL;
		else if (!s->list && !strcmp(n, s->name))
			found = m;
		if (found)
			s->first_bit += btf_member_bit_offset(t, i);
		if (found == m)
			s->bits = btf_member_bitfield_size(t, i);
	}
	return found;
}

bool pt_type_btf_member(const struct pt_type *t, const char *name, struct pt_type_names *list,
			struct pt_type_member *m)
{
	struct member_search s = { .btf = t->btf, .name = name, .list = list };
	const struct btf_type *of = structure(t->btf, t->id);
	const struct btf_member *found = of ? find_member(&s, of, 0) : NULL;

	if (found)
		*m = (struct pt_type_member){ .type = btf_type_of(t->btf, found->type),
					      .off = s.first_bit / 8,
					      .bit_bytes_off = (uint32_t)(s.first_bit % 8),
					      .bits = s.bits };
	return found;
}

void pt_type_btf_name(const struct pt_type *type, struct pt_buf *out)
{
	const struct btf *b = type->btf;
	uint32_t id = type->id;
	char stars[MAX_CHAIN + 1], dims[64] = "";
	size_t nr_stars = 0;
	const struct btf_type *t = NULL;
	const char *word = "", *name;
	bool is_const = false;

	for (int i = 0; i < MAX_CHAIN && id; i++) {
		t = btf__type_by_id(b, id);
		if (!t)
			break;
		switch (btf_kind(t)) {
		case BTF_KIND_PTR: stars[nr_stars++] = '*'; id = t->type; continue;
		case BTF_KIND_CONST: is_const = true; id = t->type; continue;
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			continue;
		case BTF_KIND_ARRAY:
			if (strlen(dims) < 40)
				snprintf(dims + strlen(dims), sizeof(dims) - strlen(dims), "[%u]",
					 btf_array(t)->nelems);
			id = btf_array(t)->type;
			continue;
		case BTF_KIND_STRUCT: word = "struct "; break;
		case BTF_KIND_UNION: word = "union "; break;
		case BTF_KIND_FWD: word = btf_kflag(t) ? "union " : "struct "; break;
		case BTF_KIND_ENUM: case BTF_KIND_ENUM64: word = "enum "; break;
		case BTF_KIND_FUNC_PROTO: word = "function"; break;
		}
		break;
	}
	name = !id ? "void" : t ? name_at(b, t->name_off) : "?";
	if (!*name && *word != 'f')
		name = "{...}";
	pt_buf_printf(out, "%s%s", is_const ? "const " : "", word);
	pt_text_puts(out, name);
	if (nr_stars)
		pt_buf_printf(out, " %.*s", (int)nr_stars, stars);
	if (*dims)
		pt_buf_printf(out, "%s%s", nr_stars ? "" : " ", dims);
}

/* -- the kernel's -- */

static struct btf *opened(struct btf *b, const char *what, struct pt_err *e)
{
	if (!b)
		pt_err_sys(e, errno, "%s cannot be read", what);
	return b;
}

struct btf *pt_btf_open(const char *module, struct pt_err *e)
{
	struct btf *base, *own;
	char *what;

	libbpf_set_print(NULL);
	base = opened(
		btf__load_vmlinux_btf(),
		"the kernel's types (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF)", e);
	if (!base || !module || !*module)
		return base;
	what = pt_asprintf("types of module %s (/sys/kernel/btf)", module);
	own = opened(btf__load_module_btf(module, base), what, e);
	free(what);
	if (!own)
		btf__free(base);
	return own;
}

struct btf *pt_btf_open_file(const char *path, struct pt_err *e)
{
	libbpf_set_print(NULL);
	return opened(btf__parse(path, NULL), path, e);
}

void pt_btf_free(struct btf *b)
{
	struct btf *base = b ? pt_pointer(pt_word_of(btf__base_btf(b))) : NULL;

	btf__free(b);
	btf__free(base);
}

int pt_btf_func(const struct btf *b, const char *name, struct pt_btf_func *f, struct pt_err *e)
{
	int id = btf__find_by_name_kind(b, name, BTF_KIND_FUNC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(b, (uint32_t)id) : NULL;
	const struct btf_type *proto = t ? btf__type_by_id(b, t->type) : NULL;
	const struct btf_param *p;

	*f = (struct pt_btf_func){ .name = name };
	if (!proto || btf_kind(proto) != BTF_KIND_FUNC_PROTO)
		return pt_err_set(e, "the kernel's BTF does not tell the parameters of %s", name);
	f->result = btf_type_of(b, proto->type);
	p = btf_params(proto);
	for (unsigned i = 0; i < btf_vlen(proto) && i < PT_BTF_PARAMS; i++) {
		f->params[i].name = name_at(b, p[i].name_off);
		f->params[i].type = btf_type_of(b, p[i].type);
		f->nr_params++;
	}
	return 0;
}
