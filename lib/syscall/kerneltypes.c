#include "syscall/kerneltypes.h"

#include <bpf/btf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mapfile.h"
#include "base/mem.h"
#include "base/smallfile.h"

static const char kernel_btf[] = "/sys/kernel/btf/vmlinux", trace[] = "btf_trace_";

enum {
	BTF_BYTES_MAX = 64 << 20,
	ANONYMOUS_DEPTH = 3,		/* structures without a name within others */
};

struct sections {
	struct pt_bytes types;		/* from the first one, whose id is 1 */
	const char *names;		/* ends in a NUL */
	size_t names_len;
};

static bool find_sections(const void *btf, size_t len, struct sections *s)
{
	struct pt_bytes rest = pt_bytes(btf, len, false), types, names;
	const struct btf_header *h = pt_bytes_take(&rest, sizeof(*h));

	if (!h || h->magic != BTF_MAGIC || h->hdr_len % 4 || h->type_off % 4)
		return false;
	types = names = pt_bytes(btf, len, false);
	pt_bytes_take(&types, (size_t)h->hdr_len + h->type_off);
	pt_bytes_take(&names, (size_t)h->hdr_len + h->str_off);
	s->types = pt_bytes(types.at, h->type_len, false);
	s->names = (const char *)names.at;
	s->names_len = h->str_len;
	return pt_bytes_take(&types, h->type_len) && pt_bytes_take(&names, h->str_len) &&
	       h->str_len && !s->names[h->str_len - 1];
}

static const char *name_at(const struct sections *s, uint32_t off)
{
	return off < s->names_len ? s->names + off : "";
}

/* What is behind a struct btf_type: `once`, and for each of its btf_vlen() parts `each` bytes. */
static const struct { uint8_t once, each; } bytes_behind[] = {
	[BTF_KIND_INT] = { 4, 0 },
	[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_DECL_TAG] = { 4, 0 },	/* struct btf_decl_tag */
	[BTF_KIND_ENUM64] = { 0, 12 },	/* struct btf_enum64 */
};

/* NULL behind the last type, and with types->bad where the types are cut or of an unknown kind. */
static const struct btf_type *next_type(struct pt_bytes *types)
{
	const struct btf_type *t;

	if (!pt_bytes_left(types))
		return NULL;
	t = pt_bytes_take(types, sizeof(*t));
	if (!t || btf_kind(t) >= PT_NR(bytes_behind)) {
		types->bad = true;
		return NULL;
	}
	pt_bytes_take(types, bytes_behind[btf_kind(t)].once +
				     (size_t)bytes_behind[btf_kind(t)].each * btf_vlen(t));
	return types->bad ? NULL : t;
}

/* Walks to the type, which is cheaper than an index for the few that are asked for. */
static const struct btf_type *type_of_id(const struct sections *s, uint32_t id)
{
	struct pt_bytes types = s->types;
	const struct btf_type *t = NULL;

	for (; id; id--)
		if (!(t = next_type(&types)))
			break;
	return t;
}

/* The offset of a member in bytes; -1: there is none. The structure's own members come before those
 * of the anonymous structures in it. */
static int member_at(const struct sections *s, const struct btf_type *t, const char *name,
		     int depth)
{
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; i < btf_vlen(t); i++)
		if (!strcmp(name_at(s, m[i].name_off), name))
			return (int)(btf_member_bit_offset(t, i) / 8);
	for (uint32_t i = 0; depth && i < btf_vlen(t); i++) {
		const struct btf_type *inner;
		int within;

		if (*name_at(s, m[i].name_off))
			continue;
		inner = type_of_id(s, m[i].type);
		within = inner && btf_is_composite(inner) ? member_at(s, inner, name, depth - 1)
							  : -1;
		if (within >= 0)
			return (int)(btf_member_bit_offset(t, i) / 8) + within;
	}
	return -1;
}

int pt_kerneltypes_find_in(const void *btf, size_t len, const struct pt_kerneltype *wanted,
			   size_t nr, struct pt_err *e)
{
	struct sections s;
	struct pt_bytes types;
	const struct btf_type *t;

	for (size_t i = 0; i < nr; i++)
		*wanted[i].value = -1;
	if (!find_sections(btf, len, &s))
		return pt_err_set(e, "no BTF, or its header is damaged");
	types = s.types;
	for (int id = 1; (t = next_type(&types)); id++) {
		const char *name = name_at(&s, t->name_off);
		bool tracepoint = btf_is_typedef(t) && !strncmp(name, trace, strlen(trace));

		if (!tracepoint && !btf_is_struct(t))
			continue;
		name += tracepoint ? strlen(trace) : 0;
		for (const struct pt_kerneltype *w = wanted; w < wanted + nr; w++)
			if (*w->value < 0 && !w->member == tracepoint && !strcmp(w->name, name))
				*w->value = tracepoint ? id
						       : member_at(&s, t, w->member,
								   ANONYMOUS_DEPTH);
	}
	return types.bad ? pt_err_set(e, "the types are cut or of an unknown kind") : 0;
}

int pt_kerneltypes_find(const struct pt_kerneltype *wanted, size_t nr, struct pt_err *e)
{
	struct pt_buf copy = PT_BUF_INIT;
	struct pt_mapfile file;
	int rc, error;

	/* Kernels since 6.16 let it be mapped. Reading takes a system call for each page. */
	if (pt_mapfile_open(&file, kernel_btf, e) == 0) {
		rc = pt_kerneltypes_find_in(file.data, file.len_bytes, wanted, nr, e);
		pt_mapfile_close(&file);
	} else {
		error = pt_file_add(kernel_btf, BTF_BYTES_MAX, &copy);
		if (error)
			return pt_err_sys(e, error, "%s", kernel_btf);
		rc = pt_kerneltypes_find_in(copy.data, copy.len, wanted, nr, e);
		pt_buf_deinit(&copy);
	}
	return rc < 0 ? pt_err_context(e, "%s", kernel_btf) : 0;
}
