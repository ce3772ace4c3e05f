#include "probe/value/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "probe/value/loc.h"

enum { MAX_CHAIN = 64, MAX_ANON = 16 };

struct pt_btf {
	struct btf *base, *btf;		/* of a module: its own, over the kernel's */
};

struct pt_btf *pt_btf_open(const char *module, struct pt_err *e)
{
	struct pt_btf *b = pt_alloc(sizeof(*b));

	libbpf_set_print(NULL);
	b->base = btf__load_vmlinux_btf();
	if (!b->base) {
		pt_err_sys(
			e, errno,
			"the kernel's types (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF) cannot be read");
		free(b);
		return NULL;
	}
	b->btf = b->base;
	if (module && *module) {
		b->btf = btf__load_module_btf(module, b->base);
		if (!b->btf) {
			pt_err_sys(e, errno, "types of module %s (/sys/kernel/btf/%s)", module,
				   module);
			pt_btf_free(b);
			return NULL;
		}
	}
	return b;
}

struct pt_btf *pt_btf_open_file(const char *path, struct pt_err *e)
{
	struct pt_btf *b = pt_alloc(sizeof(*b));

	libbpf_set_print(NULL);
	b->base = b->btf = btf__parse(path, NULL);
	if (b->base)
		return b;
	pt_err_sys(e, errno, "%s: types (BTF)", path);
	free(b);
	return NULL;
}

void pt_btf_free(struct pt_btf *b)
{
	if (!b)
		return;
	if (b->btf != b->base)
		btf__free(b->btf);
	btf__free(b->base);
	free(b);
}

static const char *name_at(const struct pt_btf *b, uint32_t off)
{
	const char *s = btf__name_by_offset(b->btf, off);

	return s ? s : "";
}

int pt_btf_func(struct pt_btf *b, const char *name, struct pt_btf_func *f, struct pt_err *e)
{
	int id = btf__find_by_name_kind(b->btf, name, BTF_KIND_FUNC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(b->btf, (uint32_t)id) : NULL;
	const struct btf_type *proto = t ? btf__type_by_id(b->btf, t->type) : NULL;
	const struct btf_param *p;

	*f = (struct pt_btf_func){ .name = name };
	if (!proto || btf_kind(proto) != BTF_KIND_FUNC_PROTO)
		return pt_err_set(e, "the kernel's BTF does not tell the parameters of %s", name);
	f->result = proto->type;
	p = btf_params(proto);
	for (unsigned i = 0; i < btf_vlen(proto) && i < PT_BTF_PARAMS; i++) {
		f->params[i].name = name_at(b, p[i].name_off);
		f->params[i].type = p[i].type;
		f->nr_params++;
	}
	return 0;
}

/* Without typedefs, const and the like; *user: it is of user space, by its tag. NULL: void, or
 * damaged. */
static const struct btf_type *strip(const struct pt_btf *b, uint32_t id, bool *user)
{
	const struct btf_type *t = btf__type_by_id(b->btf, id);

	for (int i = 0; t && i < MAX_CHAIN; i++) {
		switch (btf_kind(t)) {
		case BTF_KIND_TYPE_TAG:
			if (user && !strcmp(name_at(b, t->name_off), "user"))
				*user = true;
			/* fall through */
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
			t = t->type ? btf__type_by_id(b->btf, t->type) : NULL;
			continue;
		}
		break;
	}
	return t && btf_kind(t) != BTF_KIND_UNKN ? t : NULL;
}

static bool is_char(const struct pt_btf *b, const struct btf_type *t)
{
	return t && btf_kind(t) == BTF_KIND_INT && t->size == 1 &&
	       !(btf_int_encoding(t) & BTF_INT_BOOL) && strcmp(name_at(b, t->name_off), "_Bool");
}

void pt_btf_type_text(struct pt_btf *b, uint32_t id, struct pt_buf *out)
{
	char stars[MAX_CHAIN + 1], dims[64] = "";
	size_t nr_stars = 0;
	const struct btf_type *t = NULL;
	const char *word = "", *name;
	bool is_const = false;

	for (int i = 0; i < MAX_CHAIN && id; i++) {
		t = btf__type_by_id(b->btf, id);
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
	pt_buf_printf(out, "%s%s", is_const ? "const " : "", word);
	pt_text_plain(out, *name || *word == 'f' ? name : "{...}",
		      strlen(*name || *word == 'f' ? name : "{...}"));
	if (nr_stars)
		pt_buf_printf(out, " %.*s", (int)nr_stars, stars);
	if (*dims)
		pt_buf_printf(out, "%s%s", nr_stars ? "" : " ", dims);
}

/* -- expressions -- */

/* Where a value is while an expression is walked: in a register or at an address that is fetched
 * so. */
struct value {
	/* "%di", "+8(%si)": what the address, or the register's value, is */
	struct pt_buf base;
	bool in_memory;			/* the value stands at base + off; else base is the value */
	int64_t off;
	bool user;			/* that memory is a program's */
	uint32_t type;
	unsigned bit_off, bits;		/* a bit field */
};

struct walk {
	struct pt_btf *b;
	const struct pt_arg *arg;
	struct value v;
};

static int at(const struct walk *w, const struct pt_arg_step *s, const char *why, struct pt_err *e)
{
	pt_err_set(e, "%s: %s", w->arg->text, why);
	return pt_arg_caret(w->arg->text, s->at, e);
}

/* The value itself becomes the base: one read more. */
static void load(struct walk *w)
{
	struct pt_buf b = PT_BUF_INIT;

	if (!w->v.in_memory)
		return;
	pt_buf_printf(&b, "%s%lld(%s)",
		      w->v.off < 0 ? (w->v.user ? "-u" : "-")
		      : w->v.user  ? "+u"
				   : "+",
		      (long long)(w->v.off < 0 ? -w->v.off : w->v.off), pt_buf_str(&w->v.base));
	pt_buf_deinit(&w->v.base);
	w->v.base = b;
	w->v.in_memory = false;
	w->v.off = 0;
}

static int follow(struct walk *w, const struct pt_arg_step *s, struct pt_err *e)
{
	bool user = false;
	const struct btf_type *t = strip(w->b, w->v.type, NULL);

	/* an array is where its first element is */
	if (t && btf_kind(t) == BTF_KIND_ARRAY && w->v.in_memory) {
		w->v.type = btf_array(t)->type;
		return 0;
	}
	if (!t || btf_kind(t) != BTF_KIND_PTR)
		return at(w, s, "that is no pointer", e);
	load(w);
	w->v.in_memory = true;
	w->v.type = t->type;
	strip(w->b, t->type, &user);
	w->v.user = user;
	return 0;
}

/* A member by name, also within structures without name; its bit offset is added to *bits. */
static const struct btf_member *member(const struct pt_btf *b, const struct btf_type *t,
				       const char *name, uint64_t *bit_off, unsigned *width,
				       int depth)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned i = 0; i < btf_vlen(t); i++, m++) {
		const char *n = name_at(b, m->name_off);
		const struct btf_type *inner;

		if (!strcmp(n, name)) {
			*bit_off += btf_member_bit_offset(t, i);
			*width = btf_member_bitfield_size(t, i);
			return m;
		}
		inner = *n || depth >= MAX_ANON ? NULL : strip(b, m->type, NULL);
		if (inner &&
		    (btf_kind(inner) == BTF_KIND_STRUCT || btf_kind(inner) == BTF_KIND_UNION)) {
			const struct btf_member *found =
				member(b, inner, name, bit_off, width, depth + 1);

			if (found) {
				*bit_off += btf_member_bit_offset(t, i);
				return found;
			}
		}
	}
	return NULL;
}

static int take_member(struct walk *w, const struct pt_arg_step *s, struct pt_err *e)
{
	const struct btf_type *t = strip(w->b, w->v.type, NULL);
	const struct btf_member *m;
	struct pt_buf text = PT_BUF_INIT;
	uint64_t bit_off = 0;
	int rc = 0;

	if (!t || (btf_kind(t) != BTF_KIND_STRUCT && btf_kind(t) != BTF_KIND_UNION)) {
		pt_btf_type_text(w->b, w->v.type, &text);
		pt_err_set(e, "%s: %s has no members%s", w->arg->text, text.data,
			   t && btf_kind(t) == BTF_KIND_FWD ? " that are known here" : "");
		rc = pt_arg_caret(w->arg->text, s->at, e);
	} else if (!w->v.in_memory) {
		rc = at(w, s, "a structure in registers cannot be taken apart", e);
	} else if (!(m = member(w->b, t, s->name, &bit_off, &w->v.bits, 0))) {
		pt_btf_type_text(w->b, w->v.type, &text);
		pt_err_set(e, "%s: %s has no member %s", w->arg->text, text.data, s->name);
		rc = pt_arg_caret(w->arg->text, s->at, e);
	} else {
		w->v.type = m->type;
		w->v.off += (int64_t)(bit_off / 8);
		w->v.bit_off = (unsigned)(bit_off % 8);
	}
	pt_buf_deinit(&text);
	return rc;
}

static int take_index(struct walk *w, const struct pt_arg_step *s, struct pt_err *e)
{
	int64_t size;

	if (follow(w, s, e) < 0)
		return -1;
	size = btf__resolve_size(w->b->btf, w->v.type);
	if (size <= 0 || s->index > 1 << 20 || s->index < -(1 << 20) || size > 1 << 20)
		return at(w, s, "its elements have no size", e);
	w->v.off += s->index * size;
	return 0;
}

static int take_step(struct walk *w, const struct pt_arg_step *s, struct pt_err *e)
{
	if (w->v.bits)
		return at(w, s, "a bit field has no parts", e);
	switch (s->op) {
	case PT_ARG_ARROW: return follow(w, s, e) < 0 ? -1 : take_member(w, s, e);
	case PT_ARG_MEMBER: return take_member(w, s, e);
	case PT_ARG_INDEX: return take_index(w, s, e);
	case PT_ARG_DEREF: return follow(w, s, e);
	case PT_ARG_ADDRESS: break;
	}
	return at(w, s, "an address of a part cannot be fetched here", e);
}

static int put_int(const struct walk *w, uint64_t size, bool is_signed, struct pt_buf *type,
		   struct pt_err *e)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return pt_err_set(e, "%s: has %llu bytes, the kernel fetches 1, 2, 4 or 8",
				  w->arg->text, (unsigned long long)size);
	if (w->v.bits) {
		/* From the byte of its first bit, as many whole bytes as a word of its size. */
		if (w->v.bit_off + w->v.bits > size * 8)
			size = size < 8 ? size * 2 : 8;
		if (w->v.bit_off + w->v.bits > size * 8)
			return pt_err_set(e, "%s: a bit field across words cannot be fetched",
					  w->arg->text);
		pt_buf_printf(type, "b%u@%u/%llu", w->v.bits, w->v.bit_off,
			      (unsigned long long)size * 8);
	} else {
		pt_buf_printf(type, "%c%llu", is_signed ? 's' : 'u', (unsigned long long)size * 8);
	}
	return 0;
}

/* The kernel's type for what the value is. */
static int choose_type(struct walk *w, struct pt_buf *type, struct pt_err *e)
{
	const struct btf_type *t = strip(w->b, w->v.type, NULL);
	struct pt_buf text = PT_BUF_INIT;
	int rc;

	if (!t)
		return pt_err_set(e, "%s: void has no value", w->arg->text);
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return put_int(w, t->size, btf_int_encoding(t) & BTF_INT_SIGNED, type, e);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return put_int(w, t->size, btf_kflag(t), type, e);
	case BTF_KIND_PTR:
		pt_buf_puts(type, "x64");
		return 0;
	case BTF_KIND_ARRAY:
		if (is_char(w->b, strip(w->b, btf_array(t)->type, NULL)) && w->v.in_memory) {
			pt_buf_puts(type, "string");
			return 0;
		}
	}
	pt_btf_type_text(w->b, w->v.type, &text);
	rc = pt_err_set(e, "%s: is a %s, not one value; name a part of it", w->arg->text,
			text.data);
	pt_buf_deinit(&text);
	return rc;
}

/* A text's address is what the kernel wants: a pointer's value, an array's place. */
static int as_string(struct walk *w, struct pt_buf *type, struct pt_err *e)
{
	const struct btf_type *t = strip(w->b, w->v.type, NULL);
	bool user = false;

	if (t && btf_kind(t) == BTF_KIND_PTR) {
		strip(w->b, t->type, &user);
		load(w);
		w->v.in_memory = true;
		w->v.off = 0;
		w->v.user = false;
		if (user && !strcmp(w->arg->type, "string")) {
			pt_buf_puts(type, "ustring");
			return 0;
		}
	} else if (!w->v.in_memory) {
		return pt_err_set(e, "%s: is no text: neither a pointer nor an array",
				  w->arg->text);
	}
	pt_buf_puts(type, w->arg->type);
	return 0;
}

static int finish(struct walk *w, struct pt_buf *fetch, struct pt_buf *type, struct pt_err *e)
{
	const char *as = w->arg->type;

	if (as && (!strcmp(as, "string") || !strcmp(as, "ustring"))) {
		if (as_string(w, type, e) < 0)
			return -1;
	} else if (as) {
		pt_buf_puts(type, as);
	} else if (choose_type(w, type, e) < 0) {
		return -1;
	}
	if (w->arg->array)
		pt_buf_printf(type, "[%u]", w->arg->array);
	load(w);
	pt_buf_puts(fetch, pt_buf_str(&w->v.base));
	return 0;
}

/* Which of the convention's places a parameter has: those in front take one each, structures of up
 * to 16 bytes one or two. */
static int place_of(struct pt_btf *b, const struct pt_btf_func *f, unsigned i, uint16_t machine,
		    struct pt_buf *out, struct pt_err *e)
{
	struct pt_var_scope s = {
		.machine = machine, .word_bytes = 8, .kernel = true, .entry = true
	};
	char text[64];
	unsigned n = 1;

	for (unsigned k = 0; k <= i; k++) {
		const struct btf_type *t = strip(b, f->params[k].type, NULL);
		int64_t size = t ? btf__resolve_size(b->btf, f->params[k].type) : -1;
		bool whole = t && (btf_kind(t) == BTF_KIND_STRUCT ||
				   btf_kind(t) == BTF_KIND_UNION || btf_kind(t) == BTF_KIND_ARRAY);

		if (!t || btf_kind(t) == BTF_KIND_FLOAT || size < 0 ||
		    (whole && (k == i || size > 8)) || (!whole && size > 8))
			return pt_err_set(
				e,
				"%s: its parameter %s is %s, so the place of %s by the calling convention is not known; $argN or %%REG name one",
				f->name, *f->params[k].name ? f->params[k].name : "...",
				whole ? "a structure by value" : "of no plain type",
				f->params[i].name);
		n += k < i;
	}
	if (!pt_loc_argument(&s, n, text, sizeof(text)))
		return pt_err_set(
			e,
			"the calling convention of this CPU is not known; name registers: %%REG");
	pt_buf_puts(out, text);
	return 0;
}

static int no_param(struct pt_btf *b, const struct pt_btf_func *f, const struct pt_arg *arg,
		    struct pt_err *e)
{
	struct pt_buf text = PT_BUF_INIT;

	for (unsigned i = 0; i < f->nr_params; i++) {
		pt_buf_puts(&text, i ? ", " : "");
		pt_btf_type_text(b, f->params[i].type, &text);
		pt_buf_printf(&text, " %s", f->params[i].name);
	}
	pt_err_set(e, "%s has no parameter %s: %s(%s)", f->name, arg->root, f->name,
		   pt_buf_str(&text));
	pt_buf_deinit(&text);
	return pt_arg_caret(arg->text, arg->at_root, e);
}

int pt_btf_fetch(struct pt_btf *b, const struct pt_btf_func *f, uint16_t machine,
		 const struct pt_arg *arg, bool ret, struct pt_buf *fetch, struct pt_buf *type,
		 struct pt_err *e)
{
	struct walk w = { .b = b, .arg = arg, .v = { .base = PT_BUF_INIT } };
	unsigned i = 0;
	int rc = 0;

	if (arg->is_retval) {
		pt_buf_puts(&w.v.base, "$retval");
		w.v.type = f->result;
	} else {
		while (i < f->nr_params && strcmp(f->params[i].name, arg->root))
			i++;
		if (i == f->nr_params)
			rc = no_param(b, f, arg, e);
		else if (ret)
			rc = pt_err_set(e,
					"%s: at the return, parameters are gone; $retval is there",
					arg->text);
		else
			rc = place_of(b, f, i, machine, &w.v.base, e);
		w.v.type = i < f->nr_params ? f->params[i].type : 0;
	}
	/* The kernel's calling convention widens nothing: a small value has rubbish above it, which
	 * its type cuts off. */
	for (unsigned k = 0; k < arg->nr_steps && rc == 0; k++)
		rc = take_step(&w, &arg->steps[k], e);
	if (rc == 0)
		rc = finish(&w, fetch, type, e);
	pt_buf_deinit(&w.v.base);
	return rc;
}
