#include "test.h"

#include "probe/spec/arg.h"

static struct pt_arg arg;
static struct pt_err err;

static bool parses(const char *text)
{
	err.msg[0] = '\0';
	return pt_arg_parse(&arg, text, &err) == 0;
}

TEST(a_variable_with_steps_in_the_order_they_are_done)
{
	CHECK(parses("x=*p->f.g[2]:u16"));
	CHECK_STR(arg.name, "x");
	CHECK_STR(arg.root, "p");
	CHECK_STR(arg.type, "u16");
	CHECK_INT(arg.kind, PT_ARG_EXPR);
	CHECK_INT(arg.nr_steps, 4);
	CHECK_INT(arg.steps[0].op, PT_ARG_ARROW);
	CHECK_STR(arg.steps[0].name, "f");
	CHECK_INT(arg.steps[1].op, PT_ARG_MEMBER);
	CHECK_INT(arg.steps[2].op, PT_ARG_INDEX);
	CHECK_INT(arg.steps[2].index, 2);
	CHECK_INT(arg.steps[3].op, PT_ARG_DEREF);
	pt_arg_deinit(&arg);
	CHECK(parses("(*a).b"));
	CHECK_INT(arg.steps[0].op, PT_ARG_DEREF);
	CHECK_STR(arg.steps[1].name, "b");
	pt_arg_deinit(&arg);
	CHECK(parses("p[-0x10].0"));	/* a tuple of Rust */
	CHECK_INT(arg.steps[0].index, -16);
	CHECK_STR(arg.steps[1].name, "__0");
	pt_arg_deinit(&arg);
}

TEST(colons_of_types_and_of_namespaces)
{
	CHECK(parses("::ns::box<a::b>::count:x8[3]"));
	CHECK_STR(arg.root, "ns::box<a::b>::count");
	CHECK_STR(arg.type, "x8");
	CHECK_INT(arg.array, 3);
	pt_arg_deinit(&arg);
	CHECK(parses("ns::v"));
	CHECK(!arg.type);
	pt_arg_deinit(&arg);
	CHECK(parses("f:b3@4/16"));
	CHECK_STR(arg.type, "b3@4/16");
	pt_arg_deinit(&arg);
	CHECK(!parses("f:b3@14/16"));
	CHECK(!parses("f:u24"));
	CHECK(!parses("f:u08"));
	CHECK(!parses("f:u8[65]"));
	CHECK(!parses("f:"));
}

TEST(registers_arguments_and_the_kernels_own_words)
{
	CHECK(parses("%rdi"));
	CHECK_INT(arg.kind, PT_ARG_REG);
	CHECK_STR(arg.root, "rdi");
	pt_arg_deinit(&arg);
	CHECK(parses("n=$arg3:s32"));
	CHECK_INT(arg.kind, PT_ARG_ARGUMENT);
	CHECK_INT(arg.argument, 3);
	pt_arg_deinit(&arg);
	CHECK(parses("$retval->f"));
	CHECK(arg.is_retval);
	CHECK_INT(arg.nr_steps, 1);
	pt_arg_deinit(&arg);
	CHECK(parses("s=+0(+8(%di)):string"));
	CHECK_INT(arg.kind, PT_ARG_RAW);
	CHECK_STR(arg.root, "+0(+8(%di))");
	CHECK_STR(arg.type, "string");
	pt_arg_deinit(&arg);
	CHECK(parses("$vars"));
	CHECK_INT(arg.kind, PT_ARG_VARS);
	pt_arg_deinit(&arg);
	CHECK(!parses("$vars:u8"));
	CHECK(!parses("a=$params"));
	CHECK(!parses("$arg0"));
	CHECK(!parses("$nothing"));
}

TEST(nothing_gets_into_a_definition_that_is_more_than_one_word)
{
	CHECK(!parses("+0(%di) x=%si"));
	CHECK_HAS(err.msg, "no blanks");
	CHECK(!parses("+0(%di)\n-:all"));
	CHECK(!parses("+0(%di"));
	CHECK(!parses("+0)%di("));
	CHECK(!parses("a b=c"));
	CHECK(!parses("v:u8 x"));
	CHECK(!parses("abcdefghijklmnopqrstuvwxyz0123456789=v"));
	CHECK(!parses("=v"));
	CHECK(!parses(""));
}

TEST(a_caret_below_what_is_wrong)
{
	CHECK(!parses("p->f[i]"));
	CHECK_HAS(err.msg, "\n    p->f[i]\n         ^");
	CHECK_HAS(err.msg, "index must be a number");
	CHECK(!parses("\xc3\xa9->"));	/* a letter of two bytes is one column */
	CHECK_HAS(err.msg, "->\n       ^");
}

TEST(deep_expressions_end)
{
	char text[900];

	memset(text, '*', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	CHECK(!parses(text));
	memset(text, '(', sizeof(text) - 1);
	CHECK(!parses(text));
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, i ? "[1]" : "abc", 4);
	CHECK(!parses(text));
	CHECK_HAS(err.msg, "too long");
}
