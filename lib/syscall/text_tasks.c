/* Types of tasks, signals and memory: as strace writes them. */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/mem.h"
#include "syscall/flags.h"
#include "syscall/text_priv.h"

static void put_set(struct pt_buf *b, uint64_t set)
{
	bool inverted = __builtin_popcountll(set) > 32;
	const char *sep = "";

	pt_buf_puts(b, inverted ? "~[" : "[");
	for (int s = 1; s <= 64; s++) {
		if (((set >> (s - 1)) & 1) == inverted)
			continue;
		pt_buf_puts(b, sep);
		sep = " ";
		pt_text_signal_name(b, s, "");
	}
	pt_buf_putc(b, ']');
}

PRINTS(pt_put_sigset)
{
	uint64_t set;

	COPY(set);
	put_set(t->out, set);
}

PRINTS(pt_put_sigaction)
{
	struct { uint64_t handler, flags, restorer, mask; } sa;
	struct { uint32_t handler, flags, restorer, mask[2]; } compat;

	COPY(sa);
	COPY(compat);
	if (t->call->compat) {
		sa.handler = compat.handler;
		sa.flags = compat.flags;
		sa.restorer = compat.restorer;
		sa.mask = compat.mask[0] | (uint64_t)compat.mask[1] << 32;
	}
	pt_buf_puts(t->out, "{sa_handler=");
	if (sa.handler <= 1)
		pt_buf_puts(t->out, sa.handler ? "SIG_IGN" : "SIG_DFL");
	else
		pt_text_hex(t->out, sa.handler);
	pt_buf_puts(t->out, ", sa_mask=");
	put_set(t->out, sa.mask);
	pt_buf_puts(t->out, ", sa_flags=");
	pt_text_bits(t->out, "sa", sa.flags);
	if (sa.flags & 0x04000000)		/* SA_RESTORER */
		pt_text_member(t, ", sa_restorer=", sa.restorer);
	pt_buf_putc(t->out, '}');
}

PRINTS(pt_put_wait_status)
{
	int st;

	COPY(st);
	if (t->call->ret <= 0) {
		pt_put_pointer(t, v);
		return;
	}
	if (WIFEXITED(st)) {
		pt_buf_printf(t->out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(st));
		return;
	}
	pt_buf_puts(t->out, WIFSTOPPED(st) ? "[{WIFSTOPPED(s) && WSTOPSIG(s) == "
					   : "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
	pt_text_signal_name(t->out, WIFSTOPPED(st) ? WSTOPSIG(st) : WTERMSIG(st), "SIG");
	pt_buf_puts(t->out, WCOREDUMP(st) && !WIFSTOPPED(st) ? " && WCOREDUMP(s)}]" : "}]");
}

/* FUTEX_WAIT_PRIVATE, and which of the other arguments it has. */
PRINTS(pt_put_futex)
{
	static const uint8_t has_timeout[] = { FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET,
					       FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2 };
	uint32_t op = (uint32_t)v->number, cmd = op & 127;
	const struct pt_piece *p = pt_call_piece(t->call, 3, 0);

	pt_text_constant(t->out, "futexop", cmd);
	pt_buf_puts(t->out, op & FUTEX_PRIVATE_FLAG ? "_PRIVATE" : "");
	pt_buf_puts(t->out, op & FUTEX_CLOCK_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "");
	if (cmd == FUTEX_UNLOCK_PI || cmd == FUTEX_TRYLOCK_PI)
		return;
	pt_buf_printf(t->out, ", %u", (uint32_t)t->call->args[2]);
	if (memchr(has_timeout, (int)cmd, sizeof(has_timeout))) {
		struct pt_value time = pt_value_of(p, 3);
		bool is_narrow = t->call->compat && !strcmp(t->call->name, "futex");

		pt_buf_puts(t->out, ", ");
		if (p)
			pt_text_value(t, pt_type_find("timespec", 8, is_narrow), &time);
		else
			pt_text_address(t->out, t->call->args[3]);
	}
	if (cmd == FUTEX_REQUEUE || cmd == FUTEX_CMP_REQUEUE || cmd == FUTEX_WAKE_OP) {
		pt_buf_printf(t->out, ", %u", (uint32_t)t->call->args[3]);
		pt_text_member(t, ", ", t->call->args[4]);
	}
	if (cmd == FUTEX_CMP_REQUEUE || cmd == FUTEX_WAKE_OP)
		pt_buf_printf(t->out, ", %#x", (uint32_t)t->call->args[5]);
	if ((cmd == FUTEX_WAIT_BITSET || cmd == FUTEX_WAKE_BITSET) &&
	    (uint32_t)t->call->args[5] == FUTEX_BITSET_MATCH_ANY)
		pt_buf_puts(t->out, ", FUTEX_BITSET_MATCH_ANY");
	else if (cmd == FUTEX_WAIT_BITSET || cmd == FUTEX_WAKE_BITSET)
		pt_buf_printf(t->out, ", %#x", (uint32_t)t->call->args[5]);
}

/* Flags with the signal in their low byte. */
static void put_clone_bits(struct pt_text *t, uint64_t flags)
{
	if (flags & ~255ull)
		pt_text_bits(t->out, "clone", flags & ~255ull);
	if (flags & 255) {
		pt_buf_puts(t->out, flags & ~255ull ? "|" : "");
		pt_text_signal_name(t->out, (int)(flags & 255), "SIG");
	}
	if (!flags)
		pt_buf_putc(t->out, '0');
}

PRINTS(pt_put_clone)
{
	const uint64_t *args = t->call->args;

	pt_buf_puts(t->out, "child_stack=");
	pt_text_address(t->out, args[1]);
	pt_buf_puts(t->out, ", flags=");
	put_clone_bits(t, v->number);
	if ((v->number & CLONE_PARENT_SETTID) && t->call->ret > 0)
		pt_buf_printf(t->out, ", parent_tid=[%lld]", (long long)t->call->ret);
	else if (v->number & CLONE_PARENT_SETTID)
		pt_text_member(t, ", parent_tid=", args[2]);
	if (v->number & CLONE_SETTLS)
		pt_text_member(t, ", tls=", args[4]);
	if (v->number & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		pt_text_member(t, ", child_tidptr=", args[3]);
}

PRINTS(pt_put_clone_args)
{
	struct clone_args a;

	COPY(a);
	pt_buf_puts(t->out, "{flags=");
	pt_text_bits(t->out, "clone", a.flags);
	if (a.flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		pt_text_member(t, ", child_tid=", a.child_tid);
	if (a.flags & CLONE_PARENT_SETTID)
		pt_text_member(t, ", parent_tid=", a.parent_tid);
	pt_buf_puts(t->out, ", exit_signal=");
	if (a.exit_signal)
		pt_text_signal_name(t->out, (int)a.exit_signal, "SIG");
	else
		pt_buf_putc(t->out, '0');
	pt_buf_puts(t->out, ", stack=");
	pt_text_address(t->out, a.stack);
	pt_text_member(t, ", stack_size=", a.stack_size);
	if (a.flags & CLONE_SETTLS)
		pt_text_member(t, ", tls=", a.tls);
	pt_buf_putc(t->out, '}');
	/* the kernel puts it there */
	if ((a.flags & CLONE_PARENT_SETTID) && t->call->ret > 0)
		pt_buf_printf(t->out, " => {parent_tid=[%lld]}", (long long)t->call->ret);
}

/* 1<<CAP_CHOWN|1<<CAP_KILL */
static void put_capabilities(struct pt_buf *b, const char *name, uint64_t set)
{
	const struct pt_flag_table *table = pt_flags_table("capability");
	const char *sep = "";

	pt_buf_puts(b, name);
	if (!set)
		pt_buf_putc(b, '0');
	for (uint64_t bit = 0; bit < 64; bit++) {
		if (!(set >> bit & 1))
			continue;
		pt_buf_printf(b, "%s1<<", sep);
		pt_flags_constant(b, table, bit);
		sep = "|";
	}
}

/* Of version 3: the upper halves come behind the lower ones. */
PRINTS(pt_put_capability_sets)
{
	static const char *const names[] = { "{effective=", ", permitted=", ", inheritable=" };
	uint32_t half[2][3];

	COPY(half);
	for (int i = 0; i < 3; i++)
		put_capabilities(t->out, names[i], half[0][i] | (uint64_t)half[1][i] << 32);
	pt_buf_putc(t->out, '}');
}

/* A time of a file, with its date. */
PRINTS(pt_put_file_time)
{
	struct timespec ts;
	struct { int32_t sec, nsec; } narrow;
	struct tm tm;
	char date[64];

	COPY(ts);
	COPY(narrow);
	if (v->len == sizeof(narrow))
		ts = (struct timespec){ narrow.sec, narrow.nsec };
	if (ts.tv_nsec == UTIME_NOW || ts.tv_nsec == UTIME_OMIT) {
		pt_buf_puts(t->out, ts.tv_nsec == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
		return;
	}
	pt_buf_printf(t->out, "{tv_sec=%lld, tv_nsec=%ld}", (long long)ts.tv_sec, ts.tv_nsec);
	if ((!ts.tv_sec && !ts.tv_nsec) || !localtime_r(&ts.tv_sec, &tm))
		return;
	strftime(date, sizeof(date), "%FT%T", &tm);
	pt_buf_printf(t->out, " /* %s", date);
	if (ts.tv_nsec)
		pt_buf_printf(t->out, ".%09ld", ts.tv_nsec);
	strftime(date, sizeof(date), "%z", &tm);
	pt_buf_printf(t->out, "%s */", date);
}

PRINTS(pt_put_sigevent)
{
	struct sigevent e;

	COPY(e);
	pt_buf_putc(t->out, '{');
	if (e.sigev_value.sival_ptr)
		pt_buf_printf(t->out, "sigev_value={sival_int=%d, sival_ptr=%p}, ",
			      e.sigev_value.sival_int, e.sigev_value.sival_ptr);
	pt_buf_puts(t->out, "sigev_signo=");
	pt_text_signal_name(t->out, e.sigev_signo, "SIG");
	pt_buf_puts(t->out, ", sigev_notify=");
	pt_text_constant(t->out, "sigev", (uint32_t)e.sigev_notify);
	if (e.sigev_notify == SIGEV_THREAD_ID)
		pt_buf_printf(t->out, ", sigev_notify_thread_id=%d", e._sigev_un._tid);
	pt_buf_putc(t->out, '}');
}
