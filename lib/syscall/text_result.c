/* Results of calls: as strace writes them. */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/mem.h"
#include "syscall/flags.h"
#include "syscall/text_priv.h"

/* Results that user space never sees: include/linux/errno.h. */
static const struct { int error; const char *name, *meaning; } restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

static void result_number(struct pt_text *t)
{
	pt_buf_dec_signed(t->out, t->call->ret);
}

static void result_address(struct pt_text *t)
{
	pt_text_address(t->out, (uint64_t)t->call->ret);
}

static void result_fd(struct pt_text *t)
{
	result_number(t);
	t->in_result = true;
	if (t->fd)
		t->fd(t->ctx, t, (int)t->call->ret);
	t->in_result = false;
}

static void result_octal(struct pt_text *t)
{
	pt_buf_printf(t->out, "%#03llo", (unsigned long long)t->call->ret);
}

static void result_fcntl(struct pt_text *t)
{
	const struct pt_call *c = t->call;

	if (c->args[1] == F_GETFL || (c->args[1] == F_GETFD && c->ret)) {
		pt_text_hex(t->out, (uint64_t)c->ret);
		pt_buf_puts(t->out, " (flags ");
		if (c->args[1] == F_GETFL)
			pt_text_open_flags(t, (uint32_t)c->ret);
		else
			pt_text_bits(t->out, "fdflag", (uint64_t)c->ret);
		pt_buf_putc(t->out, ')');
		return;
	}
	if (c->args[1] == F_DUPFD || c->args[1] == F_DUPFD_CLOEXEC)
		result_fd(t);
	else
		result_number(t);
}

static void result_prctl(struct pt_text *t)
{
	const char *name = pt_flags_name(pt_flags_table("dumpable"), (uint64_t)t->call->ret);

	result_number(t);
	if (t->call->args[0] == PR_GET_DUMPABLE && name)
		pt_buf_printf(t->out, " (%s)", name);
}

/* Begins a note, or goes on with it. */
static void text_result_note(struct pt_text *t, bool *begun, const char *what)
{
	pt_buf_puts(t->out, *begun ? ", " : " (");
	pt_buf_puts(t->out, what);
	*begun = true;
}

/* The time that was left, which the kernel wrote over what was given. */
static void note_left(struct pt_text *t, bool *begun, int arg)
{
	const struct pt_piece *p = pt_call_piece(t->call, arg, PT_PIECE_AT_EXIT);
	struct pt_value left = pt_value_of(p, arg);

	if (!p)
		return;
	text_result_note(t, begun, "left ");
	pt_text_value(t, pt_text_spec(t)->args[arg].type, &left);
}

static void note_revents(struct pt_text *t, bool *begun)
{
	const struct pt_piece *p = pt_call_piece(t->call, 0, PT_PIECE_AT_EXIT);
	const char *sep = "";
	struct pollfd fd;

	if (!p)
		return;
	text_result_note(t, begun, "[");
	for (size_t at = 0; at + sizeof(fd) <= p->len; at += sizeof(fd)) {
		memcpy(&fd, (const uint8_t *)(p + 1) + at, sizeof(fd));
		if (!fd.revents)
			continue;
		pt_buf_printf(t->out, "%s{fd=%d, revents=", sep, fd.fd);
		pt_text_bits(t->out, "poll", (uint16_t)fd.revents);
		pt_buf_putc(t->out, '}');
		sep = ", ";
	}
	pt_buf_putc(t->out, ']');
}

static void result_poll(struct pt_text *t)
{
	bool begun = false;

	result_number(t);
	if (!t->call->ret)
		text_result_note(t, &begun, "Timeout");
	else
		note_revents(t, &begun);
	if (t->call->ret && t->call->name && !strncmp(t->call->name, "ppoll", 5))
		note_left(t, &begun, 2);
	if (begun)
		pt_buf_putc(t->out, ')');
}

static void result_select(struct pt_text *t)
{
	static const char *const names[] = { "", "in ", "out ", "except " };
	const struct pt_type *set = pt_type_find("fdset", 5, false);
	bool begun = false;

	result_number(t);
	if (!t->call->ret)
		text_result_note(t, &begun, "Timeout");
	for (int i = 1; t->call->ret && i <= 3; i++) {
		struct pt_value v = pt_value_of(pt_call_piece(t->call, i, PT_PIECE_AT_EXIT), i);

		for (size_t byte = 0; byte < v.len; byte++)
			v.number |= v.bytes[byte];
		if (!v.number)
			continue;
		text_result_note(t, &begun, names[i]);
		pt_text_value(t, set, &v);
	}
	if (t->call->ret && t->call->name)
		note_left(t, &begun, 4);
	if (begun)
		pt_buf_putc(t->out, ')');
}

const struct pt_result pt_results[] = {
	{ "address", result_address, false }, { "octal", result_octal, false },
	{ "fd", result_fd, true }, { "fcntl", result_fcntl, true },
	{ "prctl", result_prctl, false }, { "poll", result_poll, false },
	{ "select", result_select, false }, { NULL, NULL, false }
};

void pt_text_result(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	const struct pt_spec *s = pt_text_spec(t);
	const char *name;

	if (c->kind == PT_CALL_UNFINISHED) {
		pt_buf_puts(t->out, c->flags & PT_CALL_OPEN ? " <unfinished ...>" : " = ?");
		return;
	}
	for (size_t i = 0; i < PT_NR(restarts); i++)
		if (c->ret == -restarts[i].error) {
			pt_buf_printf(t->out, " = ? %s (%s)", restarts[i].name,
				      restarts[i].meaning);
			return;
		}
	if (pt_call_failed(c)) {
		name = strerrorname_np((int)-c->ret);
		pt_buf_printf(t->out, " = -1 %s (%s)", name ? name : "ERRNO",
			      strerror((int)-c->ret));
		return;
	}
	pt_buf_puts(t->out, " = ");
	if (s && s->result && (!(c->flags & PT_CALL_NO_START) || s->result->fd))
		s->result->print(t);
	else
		result_number(t);
}
