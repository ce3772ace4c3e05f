#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracepoint/tp.h"
#include "tracepoint/tracefs.h"

static const char sample_format[] =
	"name: sample\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u8[] bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;\n"
	"\tfield:const char *const * argv;\toffset:80;\tsize:8;\tsigned:0;\n"
	"\tfield:s16 small;\toffset:88;\tsize:2;\tsigned:1;\n"
	"\tfield:char task[TASK_COMM_LEN];\toffset:96;\tsize:16;\tsigned:1;\n"
	"\tfield:struct thing * *p;\toffset:112;\tsize:8;\n"
	"\tfield:const char __attribute__((btf_type_tag(\"user\"))) *tagged;\toffset:120;\tsize:8;\tsigned:0;\n"
	"\tfield:int old;\toffset:120;\tsize:4;\n"
	"\tfield:u32 words[MANY(2) + 1];\toffset:124;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 rest[];\toffset:132;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%s\", REC->comm\n";

static struct pt_tp_db *db_of(const char *text, bool swap)
{
	struct pt_tp_db *db = pt_tp_db_new(swap, 8);
	struct pt_err e = PT_ERR_INIT;
	char *copy = pt_test_guarded(text, strlen(text));

	if (pt_tp_db_add_format(db, "sys", copy, strlen(text), &e) < 0)
		FAIL("%s", e.msg);
	return db;
}

static void check_field(const struct pt_tp *tp, const char *name, const char *type, unsigned off, unsigned size, unsigned elem, unsigned flags)
{
	const struct pt_tp_field *f = pt_tp_field(tp, name);

	if (!f)
		FAIL("no field %s", name);
	if (strcmp(f->type, type) || f->off != off || f->size_bytes != size || f->elem_bytes != elem || f->flags != flags)
		FAIL("%s: \"%s\" at %u, %u bytes of %u, flags %x", name, f->type, f->off, f->size_bytes, f->elem_bytes, f->flags);
}

TEST(fields_of_all_shapes)
{
	struct pt_tp_db *db = db_of(sample_format, false);
	const struct pt_tp *tp = pt_tp_db_by_id(db, 77);

	CHECK(tp && tp == pt_tp_db_find(db, "sys", "sample", NULL));
	CHECK(!pt_tp_db_by_id(db, 78) && !pt_tp_db_by_id(db, -1));
	CHECK_INT(tp->nr_fields, 16);
	CHECK_INT(tp->nr_common, 4);
	CHECK_STR(tp->system, "sys");
	CHECK_STR(tp->print_fmt, "\"%s\", REC->comm");
	check_field(tp, "common_pid", "int", 4, 4, 4, PT_TP_SIGNED);
	check_field(tp, "comm", "char", 8, 16, 1, PT_TP_ARRAY | PT_TP_STRING);
	check_field(tp, "name", "__data_loc char[]", 24, 4, 1, PT_TP_ARRAY | PT_TP_STRING | PT_TP_DYNAMIC);
	check_field(tp, "bytes", "__rel_loc u8[]", 28, 4, 1, PT_TP_ARRAY | PT_TP_DYNAMIC | PT_TP_RELATIVE);
	check_field(tp, "args", "unsigned long", 32, 48, 8, PT_TP_ARRAY | PT_TP_LONG);
	check_field(tp, "argv", "const char * const *", 80, 8, 8, PT_TP_POINTER);
	check_field(tp, "small", "s16", 88, 2, 2, PT_TP_SIGNED);
	check_field(tp, "task", "char", 96, 16, 1, PT_TP_ARRAY | PT_TP_STRING | PT_TP_SIGNED);
	check_field(tp, "p", "struct thing * *", 112, 8, 8, PT_TP_POINTER);
	check_field(tp, "tagged", "const char *", 120, 8, 8, PT_TP_POINTER);
	check_field(tp, "old", "int", 120, 4, 4, PT_TP_SIGNED);
	check_field(tp, "words", "u32", 124, 8, 4, PT_TP_ARRAY);
	check_field(tp, "rest", "__u8", 132, 0, 1, PT_TP_ARRAY);
	pt_tp_db_free(db);
}

TEST(data_stays_within_the_record)
{
	struct pt_tp_db *db = db_of(sample_format, false);
	const struct pt_tp *tp = pt_tp_db_by_id(db, 77);
	uint8_t raw[140] = { 0 };
	uint32_t loc = 5u << 16 | 135, rel = 3u << 16 | (134 - 32);
	const void *p;
	size_t n, cut;
	uint8_t *guarded;

	memset(raw + 8, 'x', 16);
	memcpy(raw + 24, &loc, 4);
	memcpy(raw + 28, &rel, 4);
	memcpy(raw + 135, "hey\0!", 5);
	guarded = pt_test_guarded(raw, sizeof(raw));
	CHECK(pt_tp_data(pt_tp_field(tp, "comm"), guarded, 140, false, &p, &n) && n == 16);
	CHECK(pt_tp_data(pt_tp_field(tp, "name"), guarded, 140, false, &p, &n) && n == 3 && !memcmp(p, "hey", 3));
	CHECK(pt_tp_data(pt_tp_field(tp, "bytes"), guarded, 140, false, &p, &n) && n == 3 && !memcmp(p, "\0he", 3));
	CHECK(pt_tp_data(pt_tp_field(tp, "rest"), guarded, 140, false, &p, &n) && n == 8);
	CHECK(!pt_tp_data(pt_tp_field(tp, "name"), guarded, 139, false, &p, &n));
	CHECK(!pt_tp_data(pt_tp_field(tp, "name"), guarded, 140, true, &p, &n));
	for (cut = 0; cut < sizeof(raw); cut++) {
		struct pt_buf out = PT_BUF_INIT;

		pt_tp_print(tp, pt_test_guarded(raw, cut), cut, &out);
		pt_buf_deinit(&out);
	}
	pt_tp_db_free(db);
}

TEST(bad_formats_are_errors)
{
	static const char *const bad[] = {
		"", "name: x\n", "ID: 3\n", "name: x\nID: y\n", "name: x\nID: 99999999999\n",
		"name: x\nID: 1\nformat:\n\tfield:int;\toffset:0;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\nfield:d", "name: x\nID: 1\nformat:\n\tfield:d\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:-1;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a];\toffset:1;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:4294967295;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:__data_loc char[] a;\toffset:0;\tsize:2;\tsigned:1;\n",
	};
	struct pt_tp_db *db = pt_tp_db_new(false, 8);
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pt_err e = PT_ERR_INIT;

		if (!pt_tp_db_add_format(db, "s", pt_test_guarded(bad[i], strlen(bad[i])), strlen(bad[i]), &e) || !*e.msg)
			FAIL("read without an error: %s", bad[i]);
	}
	CHECK_INT(pt_tp_db_nr(db), 0);
	pt_tp_db_free(db);
}

static void put(struct pt_buf *b, uint64_t v, int bytes, bool swap)
{
	int i;

	for (i = 0; i < bytes; i++)
		pt_buf_putc(b, (char)(v >> 8 * (swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? bytes - 1 - i : i)));
}

static void put_sized(struct pt_buf *b, const char *text, int bytes, bool swap)
{
	put(b, strlen(text), bytes, swap);
	pt_buf_puts(b, text);
}

/* Two systems of an event each, kallsyms, printk formats, saved names. */
static void make_tracing_data(struct pt_buf *b, bool swap, int long_bytes, const char *version, const char *second)
{
	bool big = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	pt_buf_puts(b, "\x17\x08\x44tracing");
	pt_buf_add(b, version, strlen(version) + 1);
	put(b, big, 1, swap);
	put(b, (uint64_t)long_bytes, 1, swap);
	put(b, 4096, 4, swap);
	pt_buf_add(b, "header_page", 12);
	put_sized(b, "page", 8, swap);
	pt_buf_add(b, "header_event", 13);
	put_sized(b, "event", 8, swap);
	put(b, 0, 4, swap);
	put(b, 2, 4, swap);
	pt_buf_add(b, "one", 4);
	put(b, 1, 4, swap);
	put_sized(b, "name: a\nID: 5\nformat:\n\tfield:void *ip;\toffset:0;\tsize:8;\tsigned:0;\nprint fmt: \"%ps %s\", REC->ip, REC->ip\n", 8, swap);
	pt_buf_add(b, "two", 4);
	put(b, 1, 4, swap);
	put_sized(b, second, 8, swap);
	put_sized(b, "0000000000001000 T start\n0000000000001100 T next\n", 4, swap);
	put_sized(b, "0x1010 : \"Text\"\n", 4, swap);
	if (!strcmp(version, "0.6"))
		put_sized(b, "1 init\n", 8, swap);
}

static const char second_event[] = "name: b\nID: 6\nformat:\n\tfield:long l;\toffset:0;\tsize:4;\tsigned:1;\nprint fmt: \"%ld\", REC->l\n";

static void check_tracing_data(bool swap, int long_bytes, const char *version)
{
	struct pt_tp_db *db = pt_tp_db_new(false, 8);
	struct pt_buf b = PT_BUF_INIT, out = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	uint8_t raw[8];
	uint64_t ip = 0x1010;

	make_tracing_data(&b, swap, long_bytes, version, second_event);
	if (pt_tp_db_add_tracing_data(db, pt_test_guarded(b.data, b.len), b.len, &e) < 0)
		FAIL("%s", e.msg);
	CHECK_INT(pt_tp_db_nr(db), 2);
	CHECK(pt_tp_db_swap(db) == swap);
	CHECK_STR(pt_tp_db_by_id(db, 5)->system, "one");
	CHECK(pt_tp_db_find(db, "two", "b", NULL) == pt_tp_db_by_id(db, 6));
	CHECK(!pt_tp_db_find(db, "one", "b", &e) && *e.msg);
	ip = swap ? bswap_64(ip) : ip;
	memcpy(raw, &ip, 8);
	pt_tp_print(pt_tp_db_by_id(db, 5), raw, 8, &out);
	CHECK_STR(pt_buf_str(&out), "start Text");
	memset(raw, 0xff, 8);
	pt_buf_clear(&out);
	pt_tp_print(pt_tp_db_by_id(db, 6), raw, 8, &out);
	CHECK_STR(pt_buf_str(&out), "-1");
	pt_buf_deinit(&b);
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
}

TEST(tracing_data)
{
	check_tracing_data(false, 8, "0.6");
	check_tracing_data(true, 8, "0.6");
	check_tracing_data(true, 4, "0.6");
	check_tracing_data(false, 8, "0.5");
}

/* What was read before the damage stays, and it is said. */
TEST(tracing_data_damaged)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	struct pt_tp_db *db;
	size_t cut;

	make_tracing_data(&b, false, 8, "0.6", second_event);
	for (cut = 0; cut < b.len; cut++) {
		db = pt_tp_db_new(false, 8);
		CHECK(pt_tp_db_add_tracing_data(db, b.data + b.len - cut, 0, &e) < 0);
		if (!pt_tp_db_add_tracing_data(db, pt_test_guarded(b.data, cut), cut, &e))
			FAIL("cut at %zu of %zu: no error", cut, b.len);
		CHECK(*e.msg && pt_tp_db_nr(db) <= 2);
		pt_tp_db_free(db);
	}
	pt_buf_clear(&b);
	make_tracing_data(&b, false, 8, "0.6", "nonsense");
	db = pt_tp_db_new(false, 8);
	CHECK(pt_tp_db_add_tracing_data(db, b.data, b.len, &e) < 0);
	CHECK_HAS(e.msg, "1 format cannot be read");
	CHECK_INT(pt_tp_db_nr(db), 1);
	pt_tp_db_free(db);
	pt_buf_clear(&b);
	make_tracing_data(&b, false, 8, "0.9", second_event);
	db = pt_tp_db_new(false, 8);
	CHECK(pt_tp_db_add_tracing_data(db, b.data, b.len, &e) < 0);
	CHECK_HAS(e.msg, "version 0.9");
	pt_tp_db_free(db);
	pt_buf_deinit(&b);
}

static struct pt_tp_db *local(void)
{
	struct pt_err e = PT_ERR_INIT;
	const char *tracefs;

	if (pt_tracefs_find(&tracefs, &e) < 0)
		SKIP("%s", e.msg);
	return pt_tp_db_new_at(tracefs);
}

TEST(this_machine)
{
	struct pt_tp_db *db = local();
	const struct pt_tp *tp, *again;
	struct pt_err e = PT_ERR_INIT;

	tp = pt_tp_db_find(db, "sched", "sched_switch", &e);
	if (!tp)
		FAIL("%s", e.msg);
	check_field(tp, "prev_comm", "char", 8, 16, 1, PT_TP_ARRAY | PT_TP_STRING);
	CHECK(pt_tp_field(tp, "prev_state")->flags & PT_TP_LONG);
	CHECK(pt_tp_db_by_id(db, tp->id) == tp);
	CHECK(pt_tp_db_find(db, "sched", "sched_switch", NULL) == tp);
	CHECK_INT(pt_tp_db_nr(db), 1);
	CHECK(!pt_tp_db_find(db, "sched", "no_such_event", &e));
	CHECK_HAS(e.msg, "sched:no_such_event");
	CHECK(!pt_tp_db_find(db, "sched", "../sched/sched_switch", &e));
	CHECK(!pt_tp_db_by_id(db, 100000000) && !pt_tp_db_by_id(db, -1));
	again = pt_tp_db_find(db, "sched", "sched_wakeup", &e);
	CHECK(again && pt_tp_db_by_id(db, again->id) == again);
	pt_tp_db_free(db);
}

TEST(every_format_of_this_kernel)
{
	struct pt_tp_db *db = local();
	const char *tracefs;
	char path[4096];
	const struct dirent *s, *d;
	DIR *systems, *dir;
	size_t nr = 0;

	CHECK(!pt_tracefs_find(&tracefs, NULL));
	snprintf(path, sizeof(path), "%s/events", tracefs);
	systems = opendir(path);
	while ((s = readdir(systems))) {
		snprintf(path, sizeof(path), "%s/events/%s", tracefs, s->d_name);
		dir = *s->d_name == '.' ? NULL : opendir(path);
		while (dir && (d = readdir(dir))) {
			struct pt_err e = PT_ERR_INIT;

			snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs, s->d_name, d->d_name);
			if (*d->d_name == '.' || access(path, R_OK))
				continue;
			if (pt_tp_db_find(db, s->d_name, d->d_name, &e))
				nr++;
			else if (!access(path, R_OK))		/* else a probe that was deleted meanwhile */
				FAIL("%s", e.msg);
		}
		if (dir)
			closedir(dir);
	}
	closedir(systems);
	CHECK(nr > 100);
	CHECK_INT(pt_tp_db_nr(db), nr);
	pt_tp_db_free(db);
}
