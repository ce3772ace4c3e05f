/* Functions of a made-up kernel, and arguments by made-up BTF. */
#include <bpf/btf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "probe/value/btf.h"
#include "probe/value/var.h"
#include "probe/where/kernel.h"
#include "test.h"

static void put(const char *name, const char *text, size_t len)
{
	char *path = pt_asprintf("%s/%s", pt_test_dir(), name);
	FILE *f;

	for (char *p = path + strlen(pt_test_dir()) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	CHECK(f && fwrite(text, 1, len, f) == len && !fclose(f));
	free(path);
}

static const char symbols[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T vfs_read\n"
	"ffffffff81000200 t helper\n"
	"ffffffff81000300 t helper\n"
	"ffffffff81000400 t split.isra.0\n"
	"ffffffff81000500 D vfs_data\n"
	"ffffffff81000600 T do_int3\n"
	"ffffffffa0000000 t mod_only\t[ext4]\n"
	"ffffffffa0000100 t vfs_read\t[ext4]\n"
	"ffffffffa0000200 t twice\t[ext4]\n"
	"ffffffffa0000300 t twice\t[ext4]\n"
	"no symbol\n";

static void fails(const char *name, const char *module, const char *why)
{
	struct pt_kernel_funcs fs;
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_kernel_funcs_find(&fs, pt_test_dir(), name, module, &e), -1);
	CHECK_HAS(e.msg, why);
}

static void found(const char *name, const char *module, size_t i, size_t nr, const char *want)
{
	struct pt_kernel_funcs fs;
	struct pt_err e = PT_ERR_INIT;
	struct pt_def d = { .kind = 'p' };
	struct pt_buf b = PT_BUF_INIT;

	if (pt_kernel_funcs_find(&fs, pt_test_dir(), name, module, &e) < 0)
		FAIL("%s: %s", name, e.msg);
	CHECK_INT(fs.nr, nr);
	if (pt_kernel_func_place(&fs, i, 0, &d, &e) < 0)
		pt_buf_printf(&b, "!%s", e.msg);
	else
		pt_def_place_text(&d, &b);
	if (*want == '!')
		CHECK_HAS(b.data, want + 1);
	else
		CHECK_STR(b.data, want);
	pt_def_deinit(&d);
	pt_buf_deinit(&b);
	pt_kernel_funcs_deinit(&fs);
}

TEST(functions)
{
	put("proc/kallsyms", symbols, sizeof(symbols) - 1);
	found("vfs_read", NULL, 0, 1, "vfs_read");
	found("vfs_read", "ext4", 0, 1, "ext4:vfs_read");
	found("mod_only", NULL, 0, 1, "ext4:mod_only");
	found("helper", NULL, 0, 2, "_stext+512");
	found("helper", NULL, 1, 2, "_stext+768");
	found("twice", NULL, 0, 2, "!cannot be told apart");
	found("*e*", "ext4", 0, 3, "!cannot be told apart");
	fails("vfs_data", NULL, "has no function vfs_data");
	fails("vfs_reed", NULL, "did you mean vfs_read?");
	fails("split", NULL, "split.isra.0");
	fails("mod_only", "", "the kernel has no function mod_only");
	fails("mod_only", "xfs", "xfs has no function mod_only");
	fails("nothing_like_it", NULL, "-k VMLINUX");
}

TEST(hidden_addresses)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 T vfs_read\n0000000000000000 t helper\n0000000000000000 t helper\n";

	put("proc/kallsyms", hidden, sizeof(hidden) - 1);
	found("vfs_read", NULL, 0, 1, "vfs_read");
	found("helper", NULL, 0, 2, "!kptr_restrict");
}

TEST(blacklist)
{
	static const char list[] = "0xffffffff81000600-0xffffffff81000700\tdo_int3\n0x0000000000000000-0x0000000000000000\thidden_one\n";
	struct pt_kernel_func f = { .name = (char *)(uintptr_t)"do_int3", .addr = 0xffffffff81000600 };
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_kernel_func_allowed(pt_test_dir(), &f, &e), 0);
	put("sys/kernel/debug/kprobes/blacklist", list, sizeof(list) - 1);
	CHECK_INT(pt_kernel_func_allowed(pt_test_dir(), &f, &e), -1);
	CHECK_HAS(e.msg, "blacklist");
	f = (struct pt_kernel_func){ .name = (char *)(uintptr_t)"hidden_one" };
	CHECK_INT(pt_kernel_func_allowed(pt_test_dir(), &f, &e), -1);
	f.name = (char *)(uintptr_t)"one";
	CHECK_INT(pt_kernel_func_allowed(pt_test_dir(), &f, &e), 0);
}

/* struct inner { int n; char text[16]; };  struct outer { struct inner *in; unsigned a:3, b:12; union { short s; long l; }; struct inner own; char *name; int list[4]; };
 * long func(struct outer *o, int count, const char *path, struct outer whole, int behind) */
static char *made_up(void)
{
	struct btf *b = btf__new_empty();
	char *path = pt_asprintf("%s/btf", pt_test_dir());
	int t_int, t_uint, t_short, t_long, t_char, inner, inner_ptr, outer, outer_ptr, texts, ints, u, cchar, cchar_ptr, outer_user, cchar_user, proto;
	uint32_t len;
	const void *data;

	t_int = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	t_uint = btf__add_int(b, "unsigned int", 4, 0);
	t_short = btf__add_int(b, "short", 2, BTF_INT_SIGNED);
	t_long = btf__add_int(b, "long", 8, BTF_INT_SIGNED);
	t_char = btf__add_int(b, "char", 1, 0);
	texts = btf__add_array(b, t_uint, t_char, 16);
	ints = btf__add_array(b, t_uint, t_int, 4);
	inner = btf__add_struct(b, "inner", 20);
	btf__add_field(b, "n", t_int, 0, 0);
	btf__add_field(b, "text", texts, 32, 0);
	inner_ptr = btf__add_ptr(b, inner);
	u = btf__add_union(b, NULL, 8);
	btf__add_field(b, "s", t_short, 0, 0);
	btf__add_field(b, "l", t_long, 0, 0);
	cchar = btf__add_const(b, t_char);
	cchar_ptr = btf__add_ptr(b, cchar);
	outer = btf__add_struct(b, "outer", 72);
	btf__add_field(b, "in", inner_ptr, 0, 0);
	btf__add_field(b, "a", t_uint, 64, 3);
	btf__add_field(b, "b", t_uint, 67, 12);
	btf__add_field(b, NULL, u, 128, 0);
	btf__add_field(b, "own", inner, 192, 0);
	btf__add_field(b, "name", cchar_ptr, 384, 0);
	btf__add_field(b, "list", ints, 448, 0);
	outer_ptr = btf__add_ptr(b, outer);
	proto = btf__add_func_proto(b, t_long);
	btf__add_func_param(b, "o", outer_ptr);
	btf__add_func_param(b, "count", t_int);
	btf__add_func_param(b, "path", cchar_ptr);
	btf__add_func_param(b, "whole", outer);
	btf__add_func_param(b, "behind", t_int);
	btf__add_func(b, "func", BTF_FUNC_GLOBAL, proto);
	outer_user = btf__add_ptr(b, btf__add_type_tag(b, "user", outer));
	cchar_user = btf__add_ptr(b, btf__add_type_tag(b, "user", cchar));
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "u", outer_user);
	btf__add_func_param(b, "text", cchar_user);
	btf__add_func(b, "of_user", BTF_FUNC_GLOBAL, proto);
	data = btf__raw_data(b, &len);
	put("btf", data, len);
	btf__free(b);
	return path;
}

static void arg_of(struct btf *b, const char *func, const char *text, bool ret, const char *want)
{
	struct pt_vars vars = PT_VARS_INIT;
	struct pt_err e = PT_ERR_INIT;
	struct pt_btf_func f;
	struct pt_var_scope s = { .machine = EM_X86_64, .word_bytes = 8, .kernel = true, .entry = true, .ret = ret, .func = &f };
	const char *got;

	CHECK_INT(pt_btf_func(b, func, &f, &e), 0);
	got = pt_vars_add(&vars, &s, text, NULL, &e) < 0 ? e.msg : vars.v[0].fetch;
	if (*want == '!')
		CHECK_HAS(got, want + 1);
	else
		CHECK_STR(got, want);
	pt_vars_deinit(&vars);
}

static void arg(struct btf *b, const char *text, bool ret, const char *want)
{
	arg_of(b, "func", text, ret, want);
}

TEST(parameters)
{
	char *path = made_up();
	struct pt_err e = PT_ERR_INIT;
	struct btf *b = pt_btf_open_file(path, &e);
	struct pt_btf_func f;
	struct pt_buf t = PT_BUF_INIT;

	free(path);
	if (!b)
		FAIL("%s", e.msg);
	arg(b, "o", false, "%di:x64");
	arg(b, "count", false, "%si:s32");
	arg(b, "count:x8", false, "%si:x8");
	arg(b, "path:string", false, "+0(%dx):string");
	arg(b, "path", false, "%dx:x64");
	arg(b, "*path", false, "+0(%dx):u8");
	arg(b, "path[2]", false, "+2(%dx):u8");
	arg(b, "o->in", false, "+0(%di):x64");
	arg(b, "o->in->n", false, "+0(+0(%di)):s32");
	arg(b, "o->in->text", false, "+4(+0(%di)):string");
	arg(b, "o->in->text[3]", false, "+7(+0(%di)):u8");
	arg(b, "(*o).own.n", false, "+24(%di):s32");
	arg(b, "o->a", false, "+8(%di):b3@0/8");
	arg(b, "o->b", false, "+8(%di):b12@3/16");
	arg(b, "o->s", false, "+16(%di):s16");
	arg(b, "o->l", false, "+16(%di):s64");
	arg(b, "o->own.text:string", false, "+28(%di):string");
	arg(b, "o->name:string", false, "+0(+48(%di)):string");
	arg(b, "o->list[3]", false, "+68(%di):s32");
	arg(b, "$retval", true, "$retval:s64");
	arg(b, "o->list", false, "+56(%di):s32[4]");
	arg(b, "o->list[4]", false, "!it has elements 0 to 3");
	arg(b, "o->own", false, "!it is a structure: name a member (n, text)");
	arg(b, "o->nope", false, "!no member nope; there are in, a, b, s, l, own, name, list");
	arg(b, "o->in.n", false, "+0(+0(%di)):s32");
	arg(b, "count->n", false, "!no pointer");
	arg(b, "whole", false, "!structure by value");
	arg(b, "behind", false, "!structure by value");
	arg(b, "nope", false, "!it is no parameter of func(struct outer * o, int count, const char * path, struct outer whole, int behind)");
	arg(b, "count", true, "!$retval is there");
	arg_of(b, "of_user", "u->own.n", false, "+u24(%di):s32");
	arg_of(b, "of_user", "u->in->n", false, "+0(+u0(%di)):s32");
	arg_of(b, "of_user", "u->name:string", false, "+0(+u48(%di)):string");
	arg_of(b, "of_user", "u->own.text", false, "+u28(%di):string");
	arg_of(b, "of_user", "text:string", false, "+0(%si):ustring");
	arg_of(b, "of_user", "$params", false, "%di:x64");
	arg_of(b, "of_user", "$retval", true, "!returns nothing");
	arg_of(b, "of_user", "$retval:x32", true, "$retval:x32");
	CHECK_INT(pt_btf_func(b, "other", &f, &e), -1);
	CHECK_INT(pt_btf_func(b, "func", &f, &e), 0);
	pt_type_name(&f.params[2].type, 0, &t);
	CHECK_STR(t.data, "const char *");
	pt_buf_deinit(&t);
	pt_btf_free(b);
}
