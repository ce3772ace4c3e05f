#include "probe/value/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct pt_btf {
	struct btf *base, *btf;		/* of a module: its own, on top of the kernel's */
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

static const char *name_at(const struct btf *b, uint32_t off)
{
	const char *s = btf__name_by_offset(b, off);

	return s ? s : "";
}

static struct pt_type type_of(const struct btf *b, uint32_t id)
{
	return (struct pt_type){ .btf = b, .id = id, .none = !id };
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
	f->result = type_of(b->btf, proto->type);
	p = btf_params(proto);
	for (unsigned i = 0; i < btf_vlen(proto) && i < PT_BTF_PARAMS; i++) {
		f->params[i].name = name_at(b->btf, p[i].name_off);
		f->params[i].type = type_of(b->btf, p[i].type);
		f->nr_params++;
	}
	return 0;
}
