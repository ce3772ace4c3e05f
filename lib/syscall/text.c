#include "syscall/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "syscall/classes.h"
#include "syscall/flags.h"

/* Results that user space never sees: include/linux/errno.h. */
static const struct { int error; const char *name, *meaning; } restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

void pt_text_quoted(struct pt_buf *b, const uint8_t *s, size_t len, bool cut)
{
	static const char plain[] = "\t\n\v\f\r\"\\", letters[] = "tnvfr\"\\";

	char *to;

	pt_buf_grow(b, 4 * len + 8);
	to = b->data + b->len;
	*to++ = '"';
	for (size_t i = 0; i < len; i++) {
		const char *special = s[i] < ' ' || s[i] == '"' || s[i] == '\\' ?
				      memchr(plain, s[i], sizeof(plain) - 1) : NULL;
		bool digit_next = i + 1 < len && s[i + 1] >= '0' && s[i + 1] <= '9';

		if (special) {
			*to++ = '\\';
			*to++ = letters[special - plain];
		} else if (s[i] >= ' ' && s[i] < 127) {
			*to++ = (char)s[i];
		} else {
			*to++ = '\\';
			if (digit_next || s[i] >= 0100)
				*to++ = (char)('0' + (s[i] >> 6));
			if (digit_next || s[i] >= 010)
				*to++ = (char)('0' + (s[i] >> 3 & 7));
			*to++ = (char)('0' + (s[i] & 7));
		}
	}
	b->len = (size_t)(to - b->data);
	pt_buf_puts(b, cut ? "\"..." : "\"");
}

void pt_text_hex(struct pt_buf *b, uint64_t value)
{
	if (value)
		pt_buf_puts(b, "0x");
	pt_buf_hex(b, value);
}

static void add_address(struct pt_buf *b, uint64_t address)
{
	if (!address)
		pt_buf_puts(b, "NULL");
	else
		pt_text_hex(b, address);
}

/* How many elements argument `a` has in memory, by the other arguments or the result. */
static uint64_t element_count(const struct pt_call *c, const struct pt_arg *a)
{
	switch (a->count) {
	case PT_COUNT_RET: return (uint64_t)c->ret;
	case PT_COUNT_ARG: return c->args[a->count_arg];
	default: return 1;
	}
}

static const struct pt_piece *piece_of(const struct pt_call *c, const struct pt_arg *a, int i)
{
	const struct pt_piece *p = NULL;

	if (a->direction != '<')
		p = pt_call_piece(c, i, 0);
	if (a->direction == '>' && !p)
		p = pt_call_piece(c, PT_PIECE_EXEC_PATH, 0);
	if (a->direction == '<' || (a->direction == '=' && !p))
		p = pt_call_piece(c, i, PT_PIECE_AT_EXIT);
	return p;
}

/* There is nothing to show behind the address: it is NULL, memory is unknown, the call did not fill
 * it, or it could not be read. A vector and an array of no elements are shown as empty. */
static bool only_address(const struct pt_call *c, const struct pt_arg *a, uint64_t address)
{
	bool filled = a->direction != '<' || (c->kind == PT_CALL_DONE && !pt_call_failed(c));

	if (!address || c->no_memory || !filled)
		return true;
	return a->type->fetch < PT_FETCH_STRINGS && !(a->counted && !element_count(c, a));
}

static void add_memory(struct pt_text *t, const struct pt_arg *a, int i)
{
	const struct pt_call *c = t->call;
	const struct pt_type *type = a->type;
	struct pt_value v = { .number = c->args[i], .arg = i };
	const struct pt_piece *p;
	/* their meaning is another argument's to say */
	bool itself = !strcmp(type->name, "shown") || !strcmp(type->name, "fcntlarg");

	p = v.number && !c->no_memory ? piece_of(c, a, i) : NULL;
	if (p) {
		v.bytes = (const uint8_t *)(p + 1);
		v.len = p->len;
		v.counted = a->counted;
		v.cut = a->counted && type->size && type->size != UINT16_MAX &&
			element_count(c, a) * type->size > p->len;
	} else if (!itself && only_address(c, a, v.number)) {
		add_address(t->out, v.number);
		return;
	}
	type->print(t, &v);
}

void pt_text_argument(struct pt_text *t, const struct pt_arg *a, int i)
{
	struct pt_value v = { .number = t->call->args[i], .arg = i };

	if (!a->type && a->constant)
		pt_flags_constant(t->out, a->table, (uint32_t)v.number);
	else if (!a->type)
		pt_flags_bits(t->out, a->table, (uint32_t)v.number);
	else if (a->direction)
		add_memory(t, a, i);
	else
		a->type->print(t, &v);
}

/* The row of the call, parsed at its first use; NULL: it has none. */
const struct pt_spec *pt_text_spec(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	struct pt_spec **s;

	if (c->nr < 0 || c->nr >= PT_CALLS)
		return NULL;
	s = &t->specs[c->nr];
	if (!*s) {
		*s = pt_alloc(sizeof(**s));
		if (!pt_spec_parse(c->name, *s))
			(*s)->nr = -1;
	}
	return (*s)->nr < 0 ? NULL : *s;
}

void pt_text_deinit(struct pt_text *t)
{
	for (size_t i = 0; i < PT_CALLS; i++)
		free(t->specs[i]);
}

void pt_text_call(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	const struct pt_spec *s = pt_text_spec(t);
	int nr = s ? s->nr : PT_CALL_ARGS;

	if (c->name)
		pt_buf_puts(t->out, c->name);
	else
		pt_buf_printf(t->out, "syscall_%lld", (long long)c->nr);
	pt_buf_putc(t->out, '(');
	if (c->flags & PT_CALL_NO_START)	/* its arguments were not seen */
		pt_buf_puts(t->out, "...");
	for (int i = 0; !(c->flags & PT_CALL_NO_START) && i < nr; i++) {
		size_t from = t->out->len, begun;

		if (i)
			pt_buf_puts(t->out, ", ");
		if (s && t->names)
			pt_buf_printf(t->out, "%s=", s->args[i].name);
		begun = t->out->len;
		if (s)
			pt_text_argument(t, &s->args[i], i);
		else
			pt_text_hex(t->out, c->args[i]);
		/* an argument that the others make meaningless */
		if (t->out->len == begun)
			t->out->data[t->out->len = from] = '\0';
	}
	pt_buf_putc(t->out, ')');
}

static void add_result(struct pt_buf *b, int64_t ret)
{
	pt_buf_puts(b, " = ");
	pt_buf_dec_signed(b, ret);
}

void pt_text_result(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	const struct pt_spec *s = pt_text_spec(t);
	const char *name;

	if (c->kind == PT_CALL_UNFINISHED) {
		pt_buf_puts(t->out, " = ?");
		return;
	}
	for (size_t i = 0; i < sizeof(restarts) / sizeof(*restarts); i++)
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
	if (s && s->result == 'p')
		pt_buf_printf(t->out, c->ret ? " = %#llx" : " = NULL", (unsigned long long)c->ret);
	else if (s && s->result == 'o')
		pt_buf_printf(t->out, " = %#03llo", (unsigned long long)c->ret);
	else
		add_result(t->out, c->ret);
	if (c->name && !strcmp(c->name, "fcntl") && c->args[1] == 3) {	/* F_GETFL */
		pt_buf_puts(t->out, " (flags ");
		pt_text_open_flags(t->out, (uint32_t)c->ret);
		pt_buf_putc(t->out, ')');
	}
	/* descriptors with their paths */
	t->in_result = true;
	if (t->fd && pt_class_returns_fd(c->name, c->args[1]))
		t->fd(t->ctx, t, (int)c->ret);
	t->in_result = false;
}

void pt_text_signal_name(struct pt_buf *b, int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		pt_buf_printf(b, "SIG%s", name);
	else if (signal >= 32 && signal <= 64)
		pt_buf_printf(b, signal == 32 ? "SIGRTMIN" : "SIGRT_%d", signal - 32);
	else
		pt_buf_printf(b, "%d", signal);
}

/* Which members of a siginfo_t there are goes by its code: sigaction(2). */
void pt_text_signal(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	struct pt_buf *b = t->out;
	siginfo_t si = { .si_signo = (int)c->nr, .si_code = SI_KERNEL };
	const char *name;

	if (c->ret == 0 && c->len)
		memcpy(&si, c->data, c->len < sizeof(si) ? c->len : sizeof(si));
	pt_text_signal_name(b, (int)c->nr);
	pt_buf_puts(b, " {si_signo=");
	pt_text_signal_name(b, (int)c->nr);
	if (c->ret == PT_SIGNAL_UNREAD) {
		pt_buf_puts(b, ", ...}");
		return;
	}
	pt_buf_puts(b, ", si_code=");
	name = pt_flags_name(pt_flags_table("sicode"), (uint64_t)(int64_t)si.si_code);
	if (!name && c->nr == SIGCHLD)
		name = pt_flags_name(pt_flags_table("cld"), (uint64_t)si.si_code);
	if (!name && c->nr == SIGSEGV)
		name = pt_flags_name(pt_flags_table("segv"), (uint64_t)si.si_code);
	if (name)
		pt_buf_puts(b, name);
	else
		pt_buf_printf(b, "%#x", (unsigned)si.si_code);
	if (c->nr == SIGCHLD && si.si_code > 0 && si.si_code != SI_KERNEL) {
		pt_buf_printf(b, ", si_pid=%d, si_uid=%u, si_status=", si.si_pid, si.si_uid);
		if (si.si_code == CLD_EXITED)
			pt_buf_dec_signed(b, si.si_status);
		else
			pt_text_signal_name(b, si.si_status);
		pt_buf_printf(b, ", si_utime=%ld, si_stime=%ld", (long)si.si_utime,
			      (long)si.si_stime);
	} else if (si.si_code > 0 && si.si_code != SI_KERNEL) {
		pt_buf_puts(b, ", si_addr=");
		add_address(b, (uint64_t)(uintptr_t)si.si_addr);
	} else if (si.si_code == SI_USER || si.si_code == SI_TKILL || si.si_code == SI_QUEUE) {
		pt_buf_printf(b, ", si_pid=%d, si_uid=%u", si.si_pid, si.si_uid);
	}
	pt_buf_putc(b, '}');
}

void pt_text_exit(struct pt_buf *b, int64_t status)
{
	int st = (int)status;

	if (WIFEXITED(st)) {
		pt_buf_printf(b, "exited with %d", WEXITSTATUS(st));
		return;
	}
	pt_buf_puts(b, "killed by ");
	pt_text_signal_name(b, WTERMSIG(st));
	if (WCOREDUMP(st))
		pt_buf_puts(b, " (core dumped)");
}
