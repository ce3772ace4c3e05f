#include "syscall/text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "syscall/flags.h"
#include "syscall/text_priv.h"

enum { X32 = 0x40000000 };		/* in the number of a call: arch/x86/include */

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

void pt_text_address(struct pt_buf *b, uint64_t address)
{
	if (!address)
		pt_buf_puts(b, "NULL");
	else
		pt_text_hex(b, address);
}

void pt_text_member(struct pt_text *t, const char *name, uint64_t value)
{
	pt_buf_puts(t->out, name);
	pt_text_hex(t->out, value);
}

void pt_text_bits(struct pt_buf *b, const char *table, uint64_t value)
{
	pt_flags_bits(b, pt_flags_table(table), value);
}

void pt_text_cpu_bits(struct pt_text *t, const char *table, uint64_t value)
{
	const char *machine = t->call->machine;
	const struct pt_flag_table *own = NULL;
	char name[24];

	if (machine && (!strcmp(machine, "aarch64") || !strncmp(machine, "arm", 3))) {
		snprintf(name, sizeof(name), "%s_arm", table);
		own = pt_flags_table(name);
	}
	pt_flags_bits(t->out, own ? own : pt_flags_table(table), value);
}

void pt_text_constant(struct pt_buf *b, const char *table, uint64_t value)
{
	pt_flags_constant(b, pt_flags_table(table), value);
}

/* How many elements argument `a` has in memory, by the other arguments or the result. */
static uint64_t syscall_text_element_count(const struct pt_call *c, const struct pt_arg *a)
{
	switch (a->count) {
	case PT_COUNT_RET: return (uint64_t)c->ret;
	case PT_COUNT_ARG: return c->args[a->count_arg];
	default: return a->counted ? (uint64_t)a->count_arg : 1;
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
	return a->type->fetch < PT_FETCH_STRINGS &&
	       !(a->counted && !syscall_text_element_count(c, a));
}

static void add_memory(struct pt_text *t, const struct pt_arg *a, int i)
{
	const struct pt_call *c = t->call;
	const struct pt_type *type = a->type;
	const struct pt_piece *p = c->args[i] && !c->no_memory ? piece_of(c, a, i) : NULL;
	struct pt_value v = pt_value_of(p, i);

	v.number = c->args[i];
	if (p) {
		v.counted = a->counted;
		v.cut = a->counted && type->size && type->size != UINT16_MAX &&
			syscall_text_element_count(c, a) * type->size > p->len;
	} else if (!type->bare && only_address(c, a, v.number)) {
		pt_text_address(t->out, v.number);
		return;
	}
	if (type->number || (type->size > 1 && type->size != UINT16_MAX && a->counted &&
			     !type->fetch))
		pt_text_array(t, type, &v);
	else
		pt_text_value(t, type, &v);
}

void pt_text_argument(struct pt_text *t, const struct pt_spec *s, int i)
{
	const struct pt_arg *a = s ? &s->args[i] : NULL;
	struct pt_value v = { .number = t->call->args[i], .arg = i };

	if (!a)
		pt_text_hex(t->out, v.number);
	else if (!a->type && a->constant)
		pt_flags_constant(t->out, a->table, (uint32_t)v.number);
	else if (!a->type)
		pt_flags_bits(t->out, a->table, (uint32_t)v.number);
	else if (a->direction)
		add_memory(t, a, i);
	else
		pt_text_value(t, a->type, &v);
}

/* The row of the call, parsed at its first use; NULL: it has none. */
const struct pt_spec *pt_text_spec(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	struct pt_spec **s = &t->specs[pt_call_slot(c)];

	if (!*s) {
		*s = pt_alloc(sizeof(**s));
		if (!pt_spec_parse(c->name, pt_call_machine(c), *s))
			(*s)->nr = -1;
	}
	return (*s)->nr < 0 ? NULL : *s;
}

void pt_text_deinit(struct pt_text *t)
{
	for (size_t i = 0; i < PT_CALL_SLOTS; i++)
		free(t->specs[i]);
	pt_types_free(t->members);
}

void pt_text_call(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	const struct pt_spec *s = pt_text_spec(t);
	int nr = s ? s->nr : PT_CALL_ARGS;

	if (c->name)
		pt_buf_puts(t->out, c->name);
	else
		pt_buf_printf(t->out, c->nr & X32 ? "syscall_%#llx" : "syscall_%lld",
			      (long long)c->nr);
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
		pt_text_argument(t, s, i);
		/* an argument that the others make meaningless */
		if (t->out->len == begun)
			t->out->data[t->out->len = from] = '\0';
	}
	pt_buf_putc(t->out, ')');
}

void pt_text_signal_name(struct pt_buf *b, int signal, const char *prefix)
{
	const char *name = signal == SIGIO ? "IO" : sigabbrev_np(signal);

	if (name)
		pt_buf_printf(b, "%s%s", prefix, name);
	else if (signal >= 32 && signal <= 64)
		pt_buf_printf(b, signal == 32 ? "%sRTMIN" : "%sRT_%d", prefix, signal - 32);
	else
		pt_buf_dec_signed(b, signal);
}

static void add_code(struct pt_buf *b, int signal, int code)
{
	static const struct { int signal; const char *table; } own[] = {
		{ SIGCHLD, "cld" }, { SIGSEGV, "segv" }, { SIGBUS, "bus" }, { SIGFPE, "fpe" },
		{ SIGILL, "ill" }, { SIGTRAP, "trap" }, { SIGIO, "pollcode" }, { SIGSYS, "sys" },
	};
	const char *name = pt_flags_name(pt_flags_table("sicode"), (uint64_t)(int64_t)code);

	for (size_t i = 0; !name && i < PT_NR(own); i++)
		if (own[i].signal == signal)
			name = pt_flags_name(pt_flags_table(own[i].table), (uint64_t)code);
	if (name)
		pt_buf_puts(b, name);
	else
		pt_text_hex(b, (unsigned)code);
}

static void syscall_text_add_ticks(struct pt_buf *b, const char *name, long ticks)
{
	pt_buf_printf(b, ", %s=%ld", name, ticks);
	if (ticks)
		pt_buf_printf(b, " /* %.2f s */", (double)ticks / (double)sysconf(_SC_CLK_TCK));
}

static void put_signal_value(struct pt_buf *b, const union sigval *v)
{
	pt_buf_printf(b, ", si_int=%d, si_ptr=", v->sival_int);
	pt_text_address(b, (uint64_t)(uintptr_t)v->sival_ptr);
}

/* Which members there are goes by the code: sigaction(2). */
static void add_siginfo(struct pt_buf *b, const siginfo_t *si)
{
	bool kernel = si->si_code > 0 && si->si_code != SI_KERNEL;

	pt_buf_puts(b, "{si_signo=");
	pt_text_signal_name(b, si->si_signo, "SIG");
	pt_buf_puts(b, ", si_code=");
	add_code(b, si->si_signo, si->si_code);
	if (si->si_signo == SIGCHLD && kernel) {
		pt_buf_printf(b, ", si_pid=%d, si_uid=%u, si_status=", si->si_pid, si->si_uid);
		if (si->si_code == CLD_EXITED)
			pt_buf_dec_signed(b, si->si_status);
		else
			pt_text_signal_name(b, si->si_status, "SIG");
		syscall_text_add_ticks(b, "si_utime", (long)si->si_utime);
		syscall_text_add_ticks(b, "si_stime", (long)si->si_stime);
	} else if (si->si_signo == SIGSYS && kernel) {
		pt_buf_printf(b, ", si_call_addr=%p, si_syscall=%d, si_arch=%#x", si->si_call_addr,
			      si->si_syscall, si->si_arch);
	} else if (kernel) {
		pt_buf_puts(b, ", si_addr=");
		pt_text_address(b, (uint64_t)(uintptr_t)si->si_addr);
	} else if (si->si_code == SI_TIMER) {
		pt_buf_printf(b, ", si_timerid=%#x, si_overrun=%d", (unsigned)si->si_timerid,
			      si->si_overrun);
	} else if (si->si_code != SI_KERNEL) {
		pt_buf_printf(b, ", si_pid=%d, si_uid=%u", si->si_pid, si->si_uid);
	}
	if (si->si_code == SI_TIMER || (si->si_code == SI_QUEUE && si->si_value.sival_ptr))
		put_signal_value(b, &si->si_value);
	pt_buf_putc(b, '}');
}

/* Of 32-bit programs: struct compat_siginfo, where all that follows has words of 4 bytes. */
static siginfo_t siginfo_of_compat(const struct pt_value *v)
{
	struct { int32_t signo, error, code; uint32_t word[5]; } narrow;
	siginfo_t si = { 0 };

	COPY(narrow);
	si.si_signo = narrow.signo;
	si.si_code = narrow.code;
	si.si_pid = (pid_t)narrow.word[0];
	si.si_uid = narrow.word[1];
	si.si_value.sival_ptr = (void *)(uintptr_t)narrow.word[2];	/* and si_status */
	if (si.si_signo == SIGCHLD) {
		si.si_utime = (int32_t)narrow.word[3];
		si.si_stime = (int32_t)narrow.word[4];
	} else if (si.si_code > 0) {
		si.si_addr = (void *)(uintptr_t)narrow.word[0];
		si.si_syscall = (int)narrow.word[1];
		si.si_arch = narrow.word[2];
	}
	return si;
}

PRINTS(pt_put_siginfo)
{
	siginfo_t si;

	COPY(si);
	if (t->call->compat)
		si = siginfo_of_compat(v);
	if (si.si_signo)
		add_siginfo(t->out, &si);
	else
		pt_buf_puts(t->out, "{}");
}

void pt_text_signal(struct pt_text *t)
{
	const struct pt_call *c = t->call;
	siginfo_t si = { .si_signo = (int)c->nr, .si_code = SI_KERNEL };

	if (c->ret == 0 && c->len)
		memcpy(&si, c->data, PT_MIN(c->len, sizeof(si)));
	pt_text_signal_name(t->out, (int)c->nr, "SIG");
	if (c->ret == PT_SIGNAL_UNREAD) {
		pt_buf_puts(t->out, " {si_signo=");
		pt_text_signal_name(t->out, (int)c->nr, "SIG");
		pt_buf_puts(t->out, ", ...}");
		return;
	}
	pt_buf_putc(t->out, ' ');
	add_siginfo(t->out, &si);
}

void pt_text_exit(struct pt_buf *b, int64_t status)
{
	int st = (int)status;

	if (WIFEXITED(st)) {
		pt_buf_printf(b, "exited with %d", WEXITSTATUS(st));
		return;
	}
	pt_buf_puts(b, "killed by ");
	pt_text_signal_name(b, WTERMSIG(st), "SIG");
	if (WCOREDUMP(st))
		pt_buf_puts(b, " (core dumped)");
}
