#include "syscall/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "syscall/paths.h"

enum { SECOND = 1000000000 };

int pt_line_stamp(struct pt_line *l, const char *how, struct pt_err *e)
{
	static const struct { const char *word; int stamp, digits; } words[] = {
		{ "none", PT_LINE_NO_STAMP, -1 }, { "time", PT_LINE_TIME_OF_DAY, -1 },
		{ "unix", PT_LINE_UNIX, -1 }, { "clock", PT_LINE_CLOCK, -1 },
		{ "s", -1, 0 }, { "ms", -1, 3 }, { "us", -1, 6 }, { "ns", -1, 9 },
	};
	char *copy = pt_strdup(how), *rest = copy, *word;
	bool bad = false;

	l->stamp = PT_LINE_TIME_OF_DAY;
	l->digits = 0;
	while (!bad && (word = strsep(&rest, ","))) {
		if (strchr(word, ':'))
			word = strchr(word, ':') + 1;
		bad = true;
		for (size_t i = 0; i < PT_NR(words); i++) {
			if (strcmp(words[i].word, word))
				continue;
			bad = false;
			if (words[i].stamp >= 0)
				l->stamp = (enum pt_line_stamp)words[i].stamp;
			else
				l->digits = words[i].digits;
		}
	}
	free(copy);
	return bad ? pt_err_set(e, "'%s': time, unix, clock or none, and s, ms, us or ns", how) : 0;
}

static void add_fraction(struct pt_buf *b, uint64_t time_ns, int digits)
{
	uint64_t fraction = time_ns % SECOND;

	if (!digits)
		return;
	for (int i = digits; i < 9; i++)
		fraction /= 10;
	pt_buf_putc(b, '.');
	pt_buf_dec_zero(b, fraction, digits);
}

static void line_add_stamp(struct pt_line *l, uint64_t time_ns, struct pt_buf *b)
{
	uint64_t wall_ns = time_ns + l->wall_ns;
	time_t seconds = (time_t)(wall_ns / SECOND);
	struct tm tm;

	switch (l->stamp) {
	case PT_LINE_NO_STAMP:
		break;
	case PT_LINE_CLOCK:
		pt_buf_dec(b, time_ns / SECOND);
		break;
	case PT_LINE_UNIX:
		pt_buf_dec(b, (uint64_t)seconds);
		break;
	case PT_LINE_TIME_OF_DAY:
		localtime_r(&seconds, &tm);
		pt_buf_printf(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
		break;
	}
	if (l->stamp != PT_LINE_NO_STAMP) {
		add_fraction(b, l->stamp == PT_LINE_CLOCK ? time_ns : wall_ns, l->digits);
		pt_buf_putc(b, ' ');
	}
	if (l->relative) {
		size_t from = b->len;

		pt_buf_usec(b, l->last_ns && time_ns > l->last_ns ? time_ns - l->last_ns : 0);
		pt_buf_pad_left(b, from, 12);
		pt_buf_putc(b, ' ');
		l->last_ns = time_ns;
	}
}

static void add_path(void *ctx, struct pt_text *t, int fd)
{
	struct pt_line *l = ctx;

	pt_paths_add(t->out, t->call, fd, t->in_result, l->devices);
}

static void put_place(struct pt_buf *b, const struct pt_named_frame *f)
{
	if (f->name)
		pt_buf_printf(b, "+0x%llx", (unsigned long long)f->offset);
	pt_buf_printf(b, ") [0x%llx]\n", (unsigned long long)f->shown);
}

/* As strace -k; a function that is inlined is named without an address of its own. */
static void add_frames(const struct pt_named_frame *frames, size_t nr, struct pt_buf *b)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pt_named_frame *f = &frames[i];

		if (f->kind == PT_FRAME_KERNEL)
			continue;
		pt_buf_puts(b, " > ");
		if (f->module)
			pt_text_puts(b, f->module);
		pt_buf_putc(b, '(');
		if (f->name)
			pt_text_puts(b, f->name);
		if (f->kind == PT_FRAME_INLINED)
			pt_buf_puts(b, ") (inlined)\n");
		else
			put_place(b, f);
	}
}

static void line_add_call(struct pt_line *l, const struct pt_call *c, struct pt_buf *b)
{
	size_t from;

	if (l->numbers)
		pt_buf_printf(b, "[%4lld] ", (long long)c->nr);
	from = b->len;
	pt_text_call(&l->text);
	pt_buf_pad_right(b, from, l->column ? l->column - 1 : 0);
	pt_text_result(&l->text);
	if (l->durations && c->kind == PT_CALL_DONE) {
		pt_buf_puts(b, " <");
		if (pt_call_timed(c))
			pt_buf_usec(b, c->end_ns - c->start_ns);
		else
			pt_buf_putc(b, '-');
		pt_buf_putc(b, '>');
	}
	pt_buf_putc(b, '\n');
}

static void add_arguments(struct pt_line *l, struct pt_buf *b)
{
	const struct pt_spec *s = pt_text_spec(&l->text);
	struct pt_buf value = PT_BUF_INIT;
	int nr = s ? s->nr : PT_CALL_ARGS;
	char name[24];

	l->text.out = &value;
	pt_json_open(b, "args", '{');
	for (int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "arg%d", i);
		pt_buf_clear(&value);
		pt_text_argument(&l->text, s, i);
		if (value.len)
			pt_json_strn(b, s ? s->args[i].name : name, value.data, value.len);
	}
	pt_json_close(b, '}');
	pt_buf_deinit(&value);
	l->text.out = b;
}

static void add_json_call(struct pt_line *l, const struct pt_call *c, struct pt_buf *b)
{
	pt_json_str(b, "call", c->name);
	pt_json_s64(b, "nr", c->nr);
	if (c->compat)
		pt_json_u64(b, "bits", 32);
	if (!(c->flags & PT_CALL_NO_START))
		add_arguments(l, b);
	if (c->kind == PT_CALL_UNFINISHED)
		return;
	pt_json_s64(b, "ret", c->ret);
	if (pt_call_failed(c))
		pt_json_str(b, "error", strerrorname_np((int)-c->ret));
	if (pt_call_timed(c))
		pt_json_us(b, "us", c->end_ns - c->start_ns);
	else
		pt_json_null(b, "us");
}

static void add_json_other(struct pt_line *l, const struct pt_call *c, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;
	int status = (int)c->ret;

	if (c->kind == PT_CALL_EXIT && WIFEXITED(status)) {
		pt_json_s64(b, "exit", WEXITSTATUS(status));
		return;
	}
	if (c->kind == PT_CALL_EXIT) {
		pt_text_signal_name(&text, WTERMSIG(status), "SIG");
		pt_json_str(b, "killed", pt_buf_str(&text));
	} else {
		pt_text_signal_name(&text, (int)c->nr, "SIG");
		pt_json_str(b, "signal", pt_buf_str(&text));
		pt_buf_clear(&text);
		l->text.out = &text;
		pt_text_signal(&l->text);
		l->text.out = b;
		pt_json_str(b, "info", pt_buf_str(&text));
	}
	pt_buf_deinit(&text);
}

static void line_add_json(struct pt_line *l, const struct pt_call *c,
			  const struct pt_named_frame *frames, size_t nr, struct pt_buf *b)
{
	pt_json_open(b, NULL, '{');
	pt_json_seconds(b, "time", c->start_ns);
	pt_json_u64(b, "pid", c->pid);
	pt_json_u64(b, "tid", c->tid);
	if (c->kind == PT_CALL_SIGNAL || c->kind == PT_CALL_EXIT)
		add_json_other(l, c, b);
	else
		add_json_call(l, c, b);
	if (nr)
		pt_json_open(b, "stack", '[');
	for (size_t i = 0; i < nr; i++) {
		if (frames[i].kind == PT_FRAME_KERNEL)
			continue;
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "function", frames[i].name);
		pt_json_str(b, "module", frames[i].module);
		if (frames[i].kind == PT_FRAME_INLINED)
			pt_json_bool(b, "inlined", true);
		else
			pt_json_addr(b, "address", frames[i].shown);
		pt_json_close(b, '}');
	}
	if (nr)
		pt_json_close(b, ']');
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
}

void pt_line_add(struct pt_line *l, const struct pt_call *c, const struct pt_named_frame *frames,
		 size_t nr, struct pt_buf *b)
{
	l->text.call = c;
	l->text.out = b;
	l->text.ctx = l;
	l->text.fd = l->paths ? add_path : NULL;
	if (l->json) {
		line_add_json(l, c, frames, nr, b);
		return;
	}
	if (!l->only_tid)
		l->only_tid = c->tid;
	if (l->pids || c->tid != l->only_tid) {
		pt_buf_puts(b, "[pid ");
		pt_buf_scaled_wide(b, c->tid, 0, 5);
		pt_buf_puts(b, "] ");
	}
	line_add_stamp(l, c->start_ns, b);
	if (c->kind == PT_CALL_EXIT) {
		pt_buf_puts(b, "+++ ");
		pt_text_exit(b, c->ret);
		pt_buf_puts(b, " +++\n");
	} else if (c->kind == PT_CALL_SIGNAL) {
		pt_buf_puts(b, "--- ");
		pt_text_signal(&l->text);
		pt_buf_puts(b, " ---\n");
	} else {
		line_add_call(l, c, b);
	}
	add_frames(frames, nr, b);
}
