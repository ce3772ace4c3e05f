/* The text of samples: directives, expressions, the kernel's print functions, and what a hostile format or record may not do. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tracepoint/tp_tree_priv.h"

static const char fields[] =
	"name: t\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 b;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 c;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:int d;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int u;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:short s;\toffset:20;\tsize:2;\tsigned:1;\n"
	"\tfield:bool yes;\toffset:22;\tsize:1;\tsigned:0;\n"
	"\tfield:u64 x;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:long l;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:void * p;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:48;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:64;\tsize:6;\tsigned:0;\n"
	"\tfield:__u8 ip[4];\toffset:72;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 ip6[16];\toffset:76;\tsize:16;\tsigned:0;\n"
	"\tfield:u32 words[4];\toffset:92;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:108;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] dyn;\toffset:112;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:116;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:120;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] sock;\toffset:124;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: ";

enum { LEN = 216 };

static void put16(uint8_t *p, uint16_t v, bool swap) { v = swap ? bswap_16(v) : v; memcpy(p, &v, 2); }
static void put32(uint8_t *p, uint32_t v, bool swap) { v = swap ? bswap_32(v) : v; memcpy(p, &v, 4); }
static void put64(uint8_t *p, uint64_t v, bool swap) { v = swap ? bswap_64(v) : v; memcpy(p, &v, 8); }

static void fill(uint8_t *raw, bool swap)
{
	static const uint8_t ip6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
	int i;

	memset(raw, 0, LEN);
	raw[8] = 200;
	raw[9] = (uint8_t)-3;
	put16(raw + 10, 40000, swap);
	put32(raw + 12, (uint32_t)-7, swap);
	put32(raw + 16, 0xfffffffe, swap);
	put16(raw + 20, (uint16_t)-5, swap);
	raw[22] = 1;
	put64(raw + 24, 0x123456789abcdef0, swap);
	put64(raw + 32, (uint64_t)-9, swap);
	put64(raw + 40, 0xffffffff81000010, swap);
	memcpy(raw + 48, "bash", 5);
	memcpy(raw + 64, "\x00\x16\x3e\x01\xab\xff", 6);
	memcpy(raw + 72, "\x7f\x00\x00\x01", 4);
	memcpy(raw + 76, ip6, 16);
	for (i = 0; i < 4; i++)
		put32(raw + 92 + 4 * i, (uint32_t)(i + 1) * 0x11, swap);
	put32(raw + 108, 6u << 16 | 128, swap);
	memcpy(raw + 128, "hello", 6);
	put32(raw + 112, 8u << 16 | 136, swap);
	put32(raw + 136, 0xaabb, swap);
	put32(raw + 140, 7, swap);
	put32(raw + 116, 4u << 16 | (144 - 120), swap);
	memcpy(raw + 144, "rel", 4);
	put32(raw + 120, 16u << 16 | 152, swap);
	put64(raw + 152, 0x8000000000000b, swap);
	put64(raw + 160, 1, swap);
	put32(raw + 124, 28u << 16 | 168, swap);
	put16(raw + 168, 10, swap);
	raw[170] = 0x1f, raw[171] = 0x90;
	raw[168 + 8 + 15] = 1;
}

static struct pt_tp_db *db_of(const char *print_fmt, bool swap)
{
	struct pt_tp_db *db = pt_tp_db_new(swap, 8);
	struct pt_err e = PT_ERR_INIT;
	size_t len = strlen(fields) + strlen(print_fmt);
	char *text = malloc(len + 1);

	sprintf(text, "%s%s", fields, print_fmt);
	if (pt_tp_db_add_format(db, "sys", pt_test_guarded(text, len), len, &e) < 0)
		FAIL("%s", e.msg);
	free(text);
	return db;
}

static void check_in(struct pt_tp_db *db, const char *print_fmt, const char *want)
{
	const struct pt_tp *tp = pt_tp_db_at(db, 0);
	struct pt_buf out = PT_BUF_INIT;
	uint8_t raw[LEN], *copy;
	size_t cut;

	fill(raw, pt_tp_db_swap(db));
	copy = pt_test_guarded(raw, LEN);
	pt_tp_print(tp, copy, LEN, &out);
	if (strcmp(pt_buf_str(&out), want))
		FAIL("%s: \"%s\", not \"%s\"", print_fmt, pt_buf_str(&out), want);
	/* And cut at any byte. */
	for (cut = 0; cut < LEN; cut++) {
		pt_buf_clear(&out);
		memcpy(copy + LEN - cut, raw, cut);
		pt_tp_print(tp, copy + LEN - cut, cut, &out);
	}
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
}

/* In both byte orders. */
static void check(const char *print_fmt, const char *want)
{
	check_in(db_of(print_fmt, false), print_fmt, want);
	check_in(db_of(print_fmt, true), print_fmt, want);
}

static void check_failed(const char *print_fmt)
{
	struct pt_tp_db *db = db_of(print_fmt, false);
	const struct pt_tp *tp = pt_tp_db_at(db, 0);
	struct pt_buf out = PT_BUF_INIT;
	uint8_t raw[LEN];

	if (pt_tp_prog_of(tp))
		FAIL("compiled: %.100s", print_fmt);
	fill(raw, false);
	pt_tp_print(tp, raw, LEN, &out);
	CHECK_HAS(pt_buf_str(&out), "[FAILED TO PARSE] a=200 b=-3 c=40000 d=-7 u=4294967294 s=-5 yes=1 x=1311768467463790320 l=-9 p=0xffffffff81000010"
		" comm=bash mac= ip=ARRAY[7f, 00, 00, 01] ");
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
}

TEST(directives)
{
	check("\"%d %d %d %d %u %d\", REC->a, REC->b, REC->c, REC->d, REC->u, REC->s", "200 -3 40000 -7 4294967294 -5");
	check("\"%u %x %d %ld %lx\", REC->d, REC->d, REC->u, REC->l, REC->l", "4294967289 fffffff9 -2 -9 fffffffffffffff7");
	check("\"%u|%x|%hu|%hhd|%hx\", REC->s, REC->s, REC->s, REC->a, REC->l", "4294967291|fffffffb|65531|-56|fff7");
	check("\"%llx %llu %#llx %llX %o %#o %lld\", REC->x, REC->x, REC->x, REC->x, REC->a, REC->a, REC->l",
		"123456789abcdef0 1311768467463790320 0x123456789abcdef0 123456789ABCDEF0 310 0310 -9");
	check("\"[%5d][%-5d][%05d][%+d][% d][%.4d][%8.4d]\", REC->d, REC->d, REC->d, REC->a, REC->a, REC->d, REC->d",
		"[   -7][-7   ][-0007][+200][ 200][-0007][   -0007]");
	check("\"[%#010x][%#x][%016llx][%.0d][%*d][%-*d]\", REC->a, 0, REC->x, 0, 6, REC->a, 6, REC->a", "[0x000000c8][0][123456789abcdef0][][   200][200   ]");
	check("\"[%c%c%c][%3c]\", 'a', 98, REC->a - 100 - 1, 'z'", "[abc][  z]");
	check("\"[%s][%8s][%-8s][%.2s][%.*s][%6.3s]\", REC->comm, REC->comm, REC->comm, REC->comm, 3, REC->comm, REC->comm",
		"[bash][    bash][bash    ][ba][bas][   bas]");
	check("\"100%% %zu %zd %Lu %i\", REC->x, REC->l, REC->x, REC->d", "100% 1311768467463790320 -9 1311768467463790320 -7");
	check("\"%d %d\", REC->x, (int)REC->x", "-1698898192 -1698898192");
	check("\"a\\tb\\n\" \"c\\\"d\\\\ \\x41\\101\"", "a\tb\nc\"d\\ AA");
	check("\"plain\"", "plain");
	check("\"\"", "");
}

TEST(expressions)
{
	check("\"%d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 10 - 2 - 3", "7 9 5");
	check("\"%d %d %d %d\", 7 / 2, -7 / 2, -7 % 4, 7 % 0", "3 -3 -3 0");
	check("\"%d %x %d\", 1 << 4 | 1, 0xff & ~0xf, 1 ^ 3", "17 f0 2");
	check("\"%d%d%d%d%d%d\", 1 < 2, 2 <= 1, 3 > 2, 3 >= 4, 5 == 5, 5 != 5", "101010");
	check("\"%d%d%d%d\", 1 && 0, 1 || 0, !REC->a, !!REC->a", "0101");
	check("\"%s %s\", REC->d < 0 ? \"neg\" : \"pos\", REC->u < 0 ? \"neg\" : \"pos\"", "neg pos");
	check("\"%s %s\", REC->s == -5 ? \"yes\" : \"no\", REC->u > -3 ? \"yes\" : \"no\"", "yes yes");
	check("\"%d %d\", REC->a ? REC->b : 1, REC->yes ? REC->yes == 2 ? 4 : 5 : 6", "-3 5");
	check("\"%d %llu %llu\", (u8)REC->d, (u64)REC->d, (unsigned long)(u32)REC->d", "249 18446744073709551609 4294967289");
	check("\"%d %d %d\", (s8)REC->a, (unsigned char)REC->d, (bool)REC->d", "-56 249 1");
	check("\"%lld %lld\", REC->d * 1000LL, (REC->l / 2)", "-7000 -4");
	check("\"%u,%u\", ((unsigned int) ((REC->u) >> 20)), ((unsigned int) ((REC->u) & ((1U << 20) - 1)))", "4095,1048574");
	check("\"%x %x %x\", REC->words[0], REC->words[3], REC->words[4]", "11 44 0");
	check("\"%x %x\", ((u8 *)REC->ip)[3], *(REC->words)", "1 11");
	check("\"%x %d\", ((u32 *)__get_dynamic_array(dyn))[0], ((u32 *)__get_dynamic_array(dyn))[1]", "aabb 7");
	check("\"%d %d\", __get_dynamic_array_len(dyn), __get_dynamic_array_len(dyn) / sizeof(u32)", "8 2");
	check("\"%zu %zu %zu %zu\", sizeof(int), sizeof(unsigned long), sizeof(REC->comm), sizeof(void *)", "4 8 16 8");
	check("\"%d\", ({ int x_1 = (REC->a); int y_2 = (128); ((x_1) < (y_2) ? (x_1) : (y_2)); })", "128");
	check("\"%d %d\", __builtin_expect(!!(REC->yes), 1), __builtin_choose_expr(1, 5, 6)", "1 5");
	check("\"%llu.%09llu\", __print_ns_to_secs(REC->x), __print_ns_without_secs(REC->x)", "1311768467.463790320");
	check("\"%d %d\", (REC)->a, SOME_NAME", "200 0");
	check("\"%d\", 010 + 0x10 + 'A' + 1UL", "90");
	check("\"%d %d\", REC->a ?: 4, 0 ?: 4", "200 4");
	check("\"%lx\", REC->x >> 68", "0");
	check("\"%d\", (int)0x80000000 / -1", "-2147483648");
}

TEST(network_order)
{
	check_in(db_of("\"%x %x\", ntohs(REC->c), __swab16(REC->c)", false), "ntohs", "409c 409c");
	check_in(db_of("\"%x %x\", ntohs(REC->c), __swab16(REC->c)", true), "ntohs", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "9c40 409c" : "409c 409c");
}

TEST(tables_of_names)
{
	check("\"%s\", __print_flags(REC->a, \"|\", { 8, \"EIGHT\" }, { 0x40 | 0x80, \"HIGH\" }, { 1, \"ONE\" })", "EIGHT|HIGH");
	check("\"%s\", __print_flags(REC->a, \"\", { 8, \"8\" }, { 0x40, \"4\" })", "840x80");
	check("\"%s\", __print_flags(0, \"|\", { 0, \"NONE\" }, { 1, \"ONE\" })", "");
	check("\"%s\", __print_flags(REC->l, \"|\", { 1ULL << 63, \"TOP\" })", "TOP|0x7ffffffffffffff7");
	check("\"%s\", __print_flags(REC->d, \"|\", { UNKNOWN, \"U\" }, { 1, \"ONE\" })", "ONE|0xfffffff8");
	check("\"%s %s %s\", __print_symbolic(REC->a, { 100, \"x\" }, { 200, \"y\" }, { 200, \"z\" }), __print_symbolic(REC->s, { -5, \"minus\" }),"
		" __print_symbolic(REC->yes, { })", "y minus 0x1");
	check("\"%s|%s\", __print_symbolic(REC->d, { 1, \"a\" }), __print_symbolic(REC->x, { UNRESOLVED, \"a\" })", "0xfffffff9|0x123456789abcdef0");
	check("\"[%-8s][%8s][%.3s]\", __print_symbolic(REC->a, { 200, \"abc\" }), __print_flags(8, \"|\", { 8, \"abc\" }), __print_symbolic(1, { 1, \"abcdef\" })",
		"[abc     ][     abc][abc]");
	check("\"%s\", REC->a ? __print_flags(REC->a, \"|\", { 0xc8, \"ALL\" }) : \"none\"", "ALL");
	check("\"%s\", REC->a == 1 ? __print_flags(REC->a, \"|\", { 0xc8, \"ALL\" }) : \"no\" \"ne\"", "none");
	check("\"%s\", __print_symbolic(REC->a, { 200, \"two \" \"parts\" }, { -1, ((void *)0) })", "two parts");
	check("\"%s\", __print_symbolic(SCHED_SOFTIRQ, { HI_SOFTIRQ, \"HI\" }, { SCHED_SOFTIRQ, \"SCHED\" })", "SCHED");
	check("\"%s\", __print_symbolic_u64(REC->x, { 0x123456789abcdef0ULL, \"big\" })", "big");
}

TEST(strings_and_arrays)
{
	check("\"%s %s %s\", __get_str(name), __get_rel_str(rel), (char *)__get_dynamic_array(name)", "hello rel hello");
	check("\"[%.*s][%10s]\", (int)__get_dynamic_array_len(name), __get_str(name), __get_str(name)", "[hello][     hello]");
	check("\"%s|%s\", __print_hex(REC->mac, 6), __print_hex_str(REC->mac, 4)", "00 16 3e 01 ab ff|00163e01");
	check("\"%s\", __print_hex(REC->mac, 1000)", "00 16 3e 01 ab ff");
	check("\"%s\", __print_hex(REC->mac, -1)", "");
	check("\"%s\", __print_array(REC->words, 4, 4)", "{0x11,0x22,0x33,0x44}");
	check("\"%s\", __print_array(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn) / sizeof(u32), sizeof(u32))", "{0xaabb,0x7}");
	check("\"%s\", __print_array(__get_dynamic_array(dyn), 2147483647, sizeof(u32))", "{0xaabb,0x7}");
	check("\"%s %s\", __get_bitmask(mask), __get_cpumask(mask)", "00000000,00000001,00800000,0000000b 0-1,3,55,64");
	check("\"%*pbl %*pb\", 60, __get_dynamic_array(mask), 8, __get_dynamic_array(mask)", "0-1,3,55 0b");
	check("\"%s\", REC->p", "ffffffff81000010");
}

TEST(pointers)
{
	check("\"%p %p %px %pK\", REC->p, (void *)0, REC->p, REC->p", "0xffffffff81000010 (nil) 0xffffffff81000010 0xffffffff81000010");
	check("\"%pM %pm %pMF %pMR\", REC->mac, REC->mac, REC->mac, REC->mac", "00:16:3e:01:ab:ff 00163e01abff 00-16-3e-01-ab-ff ff:ab:01:3e:16:00");
	check("\"%pI4 %pi4 %pI4l\", REC->ip, REC->ip, REC->ip", "127.0.0.1 127.000.000.001 1.0.0.127");
	check("\"%pI6c %pI6 %pi6\", REC->ip6, REC->ip6, REC->ip6",
		"2001:db8::1 2001:0db8:0000:0000:0000:0000:0000:0001 20010db8000000000000000000000001");
	check("\"%pISpc %pISc\", __get_sockaddr(sock), (struct sockaddr *)__get_dynamic_array(sock)", "[::1]:8080 ::1");
	check("\"%pU %pUL\", REC->ip6, REC->ip6", "20010db8-0000-0000-0000-000000000001 B80D0120-0000-0000-0000-000000000001");
	check("\"%*ph %*phC %6phN %*phD\", 3, REC->mac, 6, REC->mac, REC->mac, 2, REC->mac", "00 16 3e 00:16:3e:01:ab:ff 00163e01abff 00-16");
	check("\"%pS %ps %pM %pU\", REC->p, REC->p, REC->ip, REC->ip", "0xffffffff81000010 0xffffffff81000010 INVALIDMAC INVALIDUUID");
	check_in(db_of("\"%pI4\", &REC->u", false), "&field", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "254.255.255.255" : "255.255.255.254");
}

/* As uprobes and kprobes have them: strings of strings, arrays of numbers. */
TEST(probe_arguments)
{
	static const char format[] = "name: p\nID: 8\nformat:\n"
		"\tfield:unsigned long __probe_ip;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[][3] ss;\toffset:8;\tsize:12;\tsigned:1;\n"
		"\tfield:s16 d[];\toffset:20;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 c;\toffset:24;\tsize:1;\tsigned:0;\n"
		"\nprint fmt: \"(%lx) ss={\\\"%s\\\",\\\"%s\\\",\\\"%s\\\"} d={%d,%d} c='%c' n=%Lu\", REC->__probe_ip, __get_str(ss[0]), __get_str(ss[1]), "
		"__get_str(ss[2]), REC->d[0], REC->d[1], REC->c, REC->__probe_ip\n";
	struct pt_tp_db *db = pt_tp_db_new(false, 8);
	struct pt_buf out = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	uint8_t raw[40] = { 0 };

	if (pt_tp_db_add_format(db, "s", format, sizeof(format) - 1, &e) < 0)
		FAIL("%s", e.msg);
	put64(raw, 0x1234, false);
	put32(raw + 8, 4u << 16 | 25, false);
	put32(raw + 12, 0, false);
	put32(raw + 16, 3u << 16 | 29, false);
	put16(raw + 20, (uint16_t)-2, false);
	put16(raw + 22, 5, false);
	raw[24] = 'x';
	memcpy(raw + 25, "one\0tw", 7);
	pt_tp_print(pt_tp_db_at(db, 0), pt_test_guarded(raw, 33), 33, &out);
	CHECK_STR(pt_buf_str(&out), "(1234) ss={\"one\",\"\",\"tw\"} d={-2,5} c='x' n=4660");
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
}

TEST(symbols_and_printk)
{
	static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff81000000 W weak\n0000000000000000 T hidden\nffffffff81000000 t local\n"
		"ffffffff81000020 T __next\nffffffff81000020 T next\nffffffff81000020 t nexterer\nffffffff81000040 r rodata\nbroken\n";
	static const char printk[] = "0xffffffff81000010 : \"Rescheduling\\n\"\nnonsense\n0x12 : \"\n";
	struct pt_tp_db *db = db_of("\"%pS %ps %pF %s\", REC->p, REC->p, (void *)(REC->p + 17), REC->p", false);

	pt_tp_db_add_kallsyms(db, pt_test_guarded(kallsyms, sizeof(kallsyms) - 1), sizeof(kallsyms) - 1);
	pt_tp_db_add_printk(db, pt_test_guarded(printk, sizeof(printk) - 1), sizeof(printk) - 1);
	check_in(db, "symbols", "_stext+0x10 _stext next+0x1 Rescheduling\n");
}

TEST(what_cannot_be_compiled)
{
	check_failed("\"%d\"");
	check_failed("\"%d\", ");
	check_failed("\"%d\", REC->none");
	check_failed("\"%d\", jiffies_to_msecs(REC->a)");
	check_failed("\"%d\", REC->a REC->b");
	check_failed("\"%d\", (REC->a");
	check_failed("\"%d\", REC->p->x");
	check_failed("\"%y\", REC->a");
	check_failed("\"%");
	check_failed("\"%d");
	check_failed("");
	check_failed("\"%s\", __print_flags(REC->a, \"|\", { 1, \"a\"");
	check_failed("\"%s\", ({ trace_seq_printf(p, \"x\"); p; })");
	check_failed("\"%d\", ((union x){ .a = REC->a }).b");
	check_failed("\"%d\", 1 ? 2");
	check_failed("\"%d\", ''");
	check_failed("\"%s\", __get_str(name[1])");
	check_failed("\"%s\", __get_str(comm[0])");
}

/* Deep, long and doubling formats are refused, in no time. */
TEST(hostile_formats)
{
	enum { N = 60000 };
	char *text = malloc(4 * N + 100), *p;
	struct pt_buf out = PT_BUF_INIT;
	struct pt_tp_db *db;
	uint8_t raw[LEN];
	int i;

	p = text + sprintf(text, "\"%%d\", ");
	memset(p, '(', N);
	strcpy(p + N, "1");
	check_failed(text);
	for (p = text + sprintf(text, "\"%%d\", REC->a"), i = 0; i < 20000; i++)
		p += sprintf(p, "+REC->a");
	check_failed(text);
	for (p = text + sprintf(text, "\"%%d\", "), i = 0; i < N; i++)
		*p++ = "!~-"[i % 3];
	strcpy(p, "1");
	check_failed(text);
	p = text + sprintf(text, "\"%%d\", ({ int a = REC->a;");
	for (i = 0; i < 14; i++)
		p += sprintf(p, " int %c = %c + %c * %c;", 'b' + i, 'a' + i, 'a' + i, 'a' + i);
	sprintf(p, " o; })");
	check_failed(text);
	for (p = text + sprintf(text, "\""), i = 0; i < N / 4; i++)
		p += sprintf(p, "%%s");
	p += sprintf(p, "\"");
	for (i = 0; i < N / 4; i++)
		p += sprintf(p, ", \"x\"");
	check_failed(text);
	free(text);
	db = db_of("\"%*d|%999999999d|%.999999999d|%.*d\", 2147483647, 1, 2, 3, 2147483647, 4", false);
	fill(raw, false);
	pt_tp_print(pt_tp_db_at(db, 0), raw, LEN, &out);
	CHECK_INT(out.len, 4 * 1024 + 3);
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
}
