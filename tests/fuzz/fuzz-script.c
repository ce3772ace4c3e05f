/* A recording of any form and content, printed in every way that pt-script has. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/read/source.h"
#include "replay.h"
#include "task/tasks.h"
#include "script/script.h"

static void check_text(const struct pt_buf *b)
{
	size_t i;

	for (i = 0; i < b->len; i++)	/* what comes from the recording moves no cursor */
		if ((unsigned char)b->data[i] < 0x20 && b->data[i] != '\n' && b->data[i] != '\t')
			abort();
}

static void dump(void *ctx, const struct pt_record *rec)
{
	struct pt_buf *b = ctx;

	pt_buf_clear(b);
	pt_script_dump(rec, b);
	check_text(b);
}

static void print_all(struct pt_source *s, struct pt_script *t)
{
	struct pt_tasks *tasks = pt_tasks_new();
	struct pt_buf b = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	const struct pt_record *rec;
	uint32_t pid, tid;

	pt_source_see_own(s, dump, &b);
	while (pt_source_next(s, &rec, &e) > 0) {
		dump(&b, rec);
		pt_tasks_see(tasks, rec);
		pt_script_about(rec, &pid, &tid);
		pt_buf_clear(&b);
		if (rec->type == PERF_RECORD_SAMPLE && rec->event)
			pt_script_sample(t, s, rec, pt_tasks_comm(tasks, tid), &b);
		else if (rec->type != PERF_RECORD_SAMPLE)
			pt_script_side(t, s, rec, pt_tasks_comm(tasks, tid), &b);
		check_text(&b);
		pt_buf_clear(&b);
		if (rec->type != PERF_RECORD_SAMPLE || rec->event)
			pt_script_json(NULL, rec, pt_tasks_comm(tasks, tid), &b);
		check_text(&b);
	}
	pt_buf_clear(&b);
	pt_script_header(s, 1, &b);
	check_text(&b);
	pt_buf_deinit(&b);
	pt_tasks_free(tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const fields[] = { NULL, "+misc,+pid,+flags,+ip", "addr,weight,ins_lat,data_src,phys_addr,data_page_size,code_page_size,iregs,uregs,ip" };
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	struct pt_script *t;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd < 0 || write(fd, data, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)
			abort();
		if (pt_source_open_fd(&s, fd, "fuzz", NULL, &e) < 0)
			continue;
		t = pt_script_new(&(struct pt_script_opts){ .nanoseconds = i == 1 });
		if (fields[i] && pt_script_fields(t, fields[i], &e) < 0)
			abort();
		print_all(s, t);
		pt_script_free(t);
		pt_source_free(s);
	}
	return 0;
}
