/* Offsets of members and ids of tracepoints: those that libbpf finds in this kernel's BTF, and the same in BTF made here; damaged BTF. */
#include "test.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "syscall/kerneltypes.h"
#include "syscall/programs.h"

static struct pt_err e;

/* struct outer { int first; struct { long pad; union { int deep; }; }; int last:3; }, behind a tracepoint, a forward
 * declaration and a structure of the same name without these members. */
static struct btf *sample(void)
{
	struct btf *b = btf__new_empty();
	int number, word, in, within, proto;

	number = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	word = btf__add_int(b, "long", 8, BTF_INT_SIGNED);
	btf__add_enum(b, "colour", 4);
	btf__add_enum_value(b, "RED", 1);
	btf__add_enum64(b, "size", 8, false);
	btf__add_enum64_value(b, "HUGE", 1ull << 40);
	btf__add_array(b, number, number, 7);
	btf__add_fwd(b, "outer", BTF_FWD_STRUCT);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "x", number);
	btf__add_func(b, "function", BTF_FUNC_STATIC, proto);
	btf__add_decl_tag(b, "tag", number, -1);
	btf__add_typedef(b, "btf_trace_event", number);
	btf__add_var(b, "variable", BTF_VAR_STATIC, number);
	btf__add_datasec(b, ".data", 4);
	btf__add_datasec_var_info(b, number, 0, 4);
	btf__add_struct(b, "outer", 4);
	btf__add_field(b, "other", number, 0, 0);
	in = btf__add_union(b, NULL, 4);
	btf__add_field(b, "deep", number, 0, 0);
	within = btf__add_struct(b, NULL, 16);
	btf__add_field(b, "pad", word, 0, 0);
	btf__add_field(b, NULL, in, 64, 0);
	btf__add_struct(b, "outer", 24);
	btf__add_field(b, "first", number, 0, 0);
	btf__add_field(b, NULL, within, 32, 0);
	btf__add_field(b, "last", number, 160, 3);
	return b;
}

enum { FIRST, DEEP, LAST, NONE, EVENT, NO_EVENT, VALUES };

static int find(const void *data, size_t len, int *value)
{
	const struct pt_kerneltype wanted[VALUES] = {
		{ "outer", "first", &value[FIRST] }, { "outer", "deep", &value[DEEP] }, { "outer", "last", &value[LAST] },
		{ "outer", "none", &value[NONE] }, { "event", NULL, &value[EVENT] }, { "function", NULL, &value[NO_EVENT] },
	};

	return pt_kerneltypes_find_in(data, len, wanted, VALUES, &e);
}

TEST(members)
{
	struct btf *b = sample();
	int value[VALUES];
	uint32_t len;
	const void *data = btf__raw_data(b, &len);

	CHECK(find(data, len, value) == 0);
	CHECK_INT(value[FIRST], 0);
	CHECK_INT(value[DEEP], 12);
	CHECK_INT(value[LAST], 20);
	CHECK_INT(value[NONE], -1);
	CHECK_INT(value[EVENT], btf__find_by_name(b, "btf_trace_event"));
	CHECK_INT(value[NO_EVENT], -1);
	btf__free(b);
}

/* Cut at each length, and with each bit wrong: an error or an answer, and nothing is read behind it (sanitized). */
TEST(damaged)
{
	struct btf *b = sample();
	int value[VALUES];
	uint32_t len;
	const void *raw = btf__raw_data(b, &len);
	uint8_t *data;

	for (uint32_t cut = 0; cut < len; cut++) {
		data = pt_memdup(raw, cut);
		CHECK_INT(find(data, cut, value), -1);
		free(data);
	}
	data = pt_memdup(raw, len);
	for (uint32_t bit = 0; bit < 8 * len; bit++) {
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		find(data, len, value);
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	CHECK(find(data, len, value) == 0);
	free(data);
	btf__free(b);
}

/* An anonymous structure that is a member of itself. */
TEST(within_itself)
{
	struct btf *b = btf__new_empty();
	int value[VALUES];
	uint32_t len;
	const void *data;

	btf__add_struct(b, "outer", 8);
	btf__add_field(b, NULL, 1, 0, 0);
	btf__add_field(b, NULL, 1, 32, 0);
	data = btf__raw_data(b, &len);
	CHECK(find(data, len, value) == 0);
	CHECK_INT(value[DEEP], -1);
	btf__free(b);
}

/* What the programs of pt-trace are made of, as libbpf has it. */
TEST(this_kernel)
{
	struct pt_buf copy = PT_BUF_INIT;
	struct btf *b;
	int value, pid, tid;
	const struct pt_kerneltype members[] = { { "task_struct", "tgid", &pid }, { "task_struct", "pid", &tid } };

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("the kernel has no BTF");
	b = btf__load_vmlinux_btf();
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++) {
		const struct pt_kerneltype wanted = { pt_program_kinds[i].tracepoint, NULL, &value };
		char name[64];

		snprintf(name, sizeof(name), "btf_trace_%s", wanted.name);
		CHECK(pt_kerneltypes_find(&wanted, 1, &e) == 0);
		CHECK_INT(value, btf__find_by_name_kind(b, name, BTF_KIND_TYPEDEF));
	}
	CHECK(pt_kerneltypes_find(members, 2, &e) == 0);
	CHECK_INT(pid, tid + 4);
	btf__free(b);
	/* read rather than mapped, as kernels before 6.16 want it */
	value = tid;
	CHECK_INT(pt_file_add("/sys/kernel/btf/vmlinux", 64 << 20, &copy), 0);
	CHECK(pt_kerneltypes_find_in(copy.data, copy.len, members, 2, &e) == 0);
	CHECK_INT(tid, value);
	pt_buf_deinit(&copy);
}
