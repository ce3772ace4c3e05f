/* How values of each type are written: as strace does. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "syscall/flags.h"
#include "syscall/text.h"

#define PRINTS(name) static void name(struct pt_text *t, const struct pt_value *v)

/* A copy of what was read; what is missing is 0. */
static void copy_value(void *to, size_t size, const struct pt_value *v)
{
	memset(to, 0, size);
	if (v->bytes)
		memcpy(to, v->bytes, PT_MIN(size, v->len));
}
#define COPY(thing) copy_value(&(thing), sizeof(thing), v)

PRINTS(put_int) { pt_buf_dec_signed(t->out, (int32_t)v->number); }
PRINTS(put_unsigned) { pt_buf_dec(t->out, (uint32_t)v->number); }
PRINTS(put_long) { pt_buf_dec_signed(t->out, (int64_t)v->number); }
PRINTS(put_unsigned_long) { pt_buf_dec(t->out, v->number); }
PRINTS(put_hex) { pt_text_hex(t->out, (uint32_t)v->number); }
PRINTS(put_hex_long) { pt_text_hex(t->out, v->number); }
PRINTS(put_mode) { pt_buf_printf(t->out, "%#03o", (unsigned)v->number); }

PRINTS(put_pointer)
{
	if (v->number)
		put_hex_long(t, v);
	else
		pt_buf_puts(t->out, "NULL");
}

PRINTS(put_fd)
{
	int fd = (int)v->number;

	pt_buf_dec_signed(t->out, fd);
	if (t->fd && fd >= 0)
		t->fd(t->ctx, t, fd);
}

PRINTS(put_dirfd)
{
	if ((int)v->number != AT_FDCWD) {
		put_fd(t, v);
		return;
	}
	pt_buf_puts(t->out, "AT_FDCWD");
	if (t->fd)
		t->fd(t->ctx, t, AT_FDCWD);
}

PRINTS(put_id)
{
	if ((uint32_t)v->number == UINT32_MAX)
		pt_buf_puts(t->out, "-1");
	else
		put_unsigned(t, v);
}

PRINTS(put_path)
{
	pt_text_quoted(t->out, v->bytes, v->len ? strnlen((const char *)v->bytes, v->len) : 0,
		       v->len == PT_PIECE_MAX);
}

/* Bytes of a known number, or up to NUL where nobody gives one. */
PRINTS(put_string)
{
	size_t len = v->len;

	if (!v->counted && len)
		len = strnlen((const char *)v->bytes, len);
	pt_text_quoted(t->out, v->bytes, PT_MIN(len, t->text_max), v->cut || len > t->text_max);
}

PRINTS(put_hex_bytes)
{
	pt_buf_putc(t->out, '"');
	for (size_t i = 0; i < PT_MIN(v->len, t->text_max); i++)
		pt_buf_printf(t->out, "\\x%02x", v->bytes[i]);
	pt_buf_puts(t->out, v->cut || v->len > t->text_max ? "\"..." : "\"");
}

void pt_text_open_flags(struct pt_buf *b, uint32_t flags)
{
	static const char *const access[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };

	pt_buf_puts(b, access[flags & O_ACCMODE]);
	flags &= ~(uint32_t)O_ACCMODE;
	if (flags & 0100000) {			/* the kernel's own, where off_t is 64 bits */
		pt_buf_puts(b, "|O_LARGEFILE");
		flags &= ~0100000u;
	}
	if (flags) {
		pt_buf_putc(b, '|');
		pt_flags_bits(b, pt_flags_table("open"), flags);
	}
}

PRINTS(put_open_flags) { pt_text_open_flags(t->out, (uint32_t)v->number); }

PRINTS(put_create_mode)
{
	if (t->call->args[v->arg - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
		put_mode(t, v);
}

/* A set of bits of which 0 has a name. */
static void put_bits_or(struct pt_text *t, const char *table, uint64_t value, const char *zero)
{
	if (value)
		pt_flags_bits(t->out, pt_flags_table(table), value);
	else
		pt_buf_puts(t->out, zero);
}

PRINTS(put_access_mode) { put_bits_or(t, "access", (uint32_t)v->number, "F_OK"); }
PRINTS(put_protection) { put_bits_or(t, "prot", (uint32_t)v->number, "PROT_NONE"); }

PRINTS(put_statx_flags)
{
	uint32_t sync = (uint32_t)v->number & 0x6000, rest = (uint32_t)v->number & ~0x6000u;

	put_bits_or(t, "statxsync", sync, "AT_STATX_SYNC_AS_STAT");
	if (rest) {
		pt_buf_putc(t->out, '|');
		pt_flags_bits(t->out, pt_flags_table("at"), rest);
	}
}

PRINTS(put_map_flags)
{
	static const char *const kinds[] = { "0", "MAP_SHARED", "MAP_PRIVATE",
					     "MAP_SHARED_VALIDATE" };
	uint32_t flags = (uint32_t)v->number;

	pt_buf_puts(t->out, flags & 12 ? "MAP_???" : kinds[flags & 3]);
	if (flags & ~15u) {
		pt_buf_putc(t->out, '|');
		pt_flags_bits(t->out, pt_flags_table("map"), flags & ~15u);
	}
}

PRINTS(put_map_offset)
{
	if (v->number)
		put_hex_long(t, v);
	else
		pt_buf_putc(t->out, '0');
}

PRINTS(put_mremap_address)
{
	if (t->call->args[3] & 2)		/* MREMAP_FIXED */
		put_pointer(t, v);
}

/* S_IFREG|0644 */
static void put_file_mode(struct pt_buf *b, uint32_t mode)
{
	const char *type = pt_flags_name(pt_flags_table("stattype"), mode & 0170000);

	if (type)
		pt_buf_printf(b, "%s|", type);
	pt_buf_printf(b, "%#03o", mode & 07777);
}

static void put_stat_tail(struct pt_buf *b, uint32_t mode, uint64_t size, unsigned maj,
			  unsigned min)
{
	if ((mode & 0170000) == 0020000 || (mode & 0170000) == 0060000)
		pt_buf_printf(b, "makedev(%#x, %#x)", maj, min);
	else
		pt_buf_dec(b, size);
	pt_buf_puts(b, ", ...}");
}

static bool is_device(uint32_t mode)
{
	return (mode & 0170000) == 0020000 || (mode & 0170000) == 0060000;
}

PRINTS(put_stat)
{
	struct stat st;

	COPY(st);
	pt_buf_puts(t->out, "{st_mode=");
	put_file_mode(t->out, st.st_mode);
	pt_buf_puts(t->out, is_device(st.st_mode) ? ", st_rdev=" : ", st_size=");
	put_stat_tail(t->out, st.st_mode, (uint64_t)st.st_size, major(st.st_rdev),
		      minor(st.st_rdev));
}

PRINTS(put_statx)
{
	struct statx st;

	COPY(st);
	pt_buf_puts(t->out, "{stx_mask=");
	pt_flags_bits(t->out, pt_flags_table("statxmask"), st.stx_mask);
	pt_buf_puts(t->out, ", stx_attributes=");
	pt_buf_printf(t->out, st.stx_attributes ? "%#llx" : "0",
		      (unsigned long long)st.stx_attributes);
	pt_buf_puts(t->out, ", stx_mode=");
	put_file_mode(t->out, st.stx_mode);
	pt_buf_puts(t->out, is_device(st.stx_mode) ? ", stx_rdev=" : ", stx_size=");
	put_stat_tail(t->out, st.stx_mode, st.stx_size, st.stx_rdev_major, st.stx_rdev_minor);
}

PRINTS(put_statfs)
{
	struct statfs st;

	COPY(st);
	pt_buf_printf(t->out, "{f_type=%#lx, f_bsize=%ld, f_blocks=%lu, f_bfree=%lu, ...}",
		      (long)st.f_type, (long)st.f_bsize, (unsigned long)st.f_blocks,
		      (unsigned long)st.f_bfree);
}

PRINTS(put_ioctl)
{
	const char *name = pt_flags_name(pt_flags_table("ioctl"), (uint32_t)v->number);
	unsigned cmd = (unsigned)v->number;

	if (name)
		pt_buf_puts(t->out, name);
	else
		pt_buf_printf(t->out, "_IOC(%#x, %#x, %#x, %#x)", cmd >> 30, cmd >> 8 & 255,
			      cmd & 255, cmd >> 16 & 0x3fff);
}

PRINTS(put_fcntl_argument)
{
	switch (t->call->args[1]) {
	case F_GETFD: case F_GETFL: case F_GETOWN: case F_GETPIPE_SZ: case F_GETSIG:
	case F_GET_SEALS: case F_GETLEASE:
		break;
	case F_SETFD:
		pt_flags_bits(t->out, pt_flags_table("fdflag"), (uint32_t)v->number);
		break;
	case F_SETFL:
		pt_text_open_flags(t->out, (uint32_t)v->number);
		break;
	case F_DUPFD: case F_DUPFD_CLOEXEC: case F_SETOWN: case F_SETPIPE_SZ: case F_SETSIG:
		put_int(t, v);
		break;
	case F_GETLK: case F_SETLK: case F_SETLKW: {
		struct flock lock;

		COPY(lock);
		if (!v->bytes) {
			put_pointer(t, v);
			break;
		}
		pt_buf_puts(t->out, "{l_type=");
		pt_flags_constant(t->out, pt_flags_table("locktype"), (uint64_t)lock.l_type);
		pt_buf_puts(t->out, ", l_whence=");
		pt_flags_constant(t->out, pt_flags_table("whence"), (uint64_t)lock.l_whence);
		pt_buf_printf(t->out, ", l_start=%ld, l_len=%ld}", (long)lock.l_start,
			      (long)lock.l_len);
		break;
	}
	default:
		put_hex_long(t, v);
	}
}

/* Elements of `size` bytes in brackets, each by `put`; `...` if there are more. */
static void put_array(struct pt_text *t, const struct pt_value *v, size_t size,
		      void (*put)(struct pt_text *t, const struct pt_value *v))
{
	pt_buf_putc(t->out, '[');
	for (size_t at = 0; at + size <= v->len; at += size) {
		struct pt_value element = { .bytes = v->bytes + at, .len = size, .arg = v->arg };

		memcpy(&element.number, element.bytes, PT_MIN(size, sizeof(uint64_t)));
		if (at)
			pt_buf_puts(t->out, ", ");
		put(t, &element);
	}
	pt_buf_puts(t->out, v->cut ? ", ...]" : "]");
}

PRINTS(put_ints) { put_array(t, v, 4, put_int); }
PRINTS(put_ids) { put_array(t, v, 4, put_id); }
PRINTS(put_fds) { put_array(t, v, 4, put_fd); }
PRINTS(put_offset) { put_array(t, v, 8, put_long); }

PRINTS(put_time)
{
	struct timespec ts;

	COPY(ts);
	pt_buf_printf(t->out, "{tv_sec=%lld, tv_nsec=%lld}", (long long)ts.tv_sec,
		      (long long)ts.tv_nsec);
}

PRINTS(put_time_usec)
{
	struct timespec ts;

	COPY(ts);
	pt_buf_printf(t->out, "{tv_sec=%lld, tv_usec=%lld}", (long long)ts.tv_sec,
		      (long long)ts.tv_nsec);
}

/* Two times, the interval first. */
static void put_timer(struct pt_text *t, const struct pt_value *v, const char *unit)
{
	long long n[4];

	COPY(n);
	pt_buf_printf(t->out, "{it_interval={tv_sec=%lld, %s=%lld}, it_value={tv_sec=%lld, %s=%lld}}",
		      n[0], unit, n[1], n[2], unit, n[3]);
}
PRINTS(put_itimerval) { put_timer(t, v, "tv_usec"); }
PRINTS(put_itimerspec) { put_timer(t, v, "tv_nsec"); }
PRINTS(put_times) { put_array(t, v, 16, put_time); }

static void put_set(struct pt_buf *b, uint64_t set)
{
	bool inverted = __builtin_popcountll(set) > 32;
	const char *sep = "";

	pt_buf_puts(b, inverted ? "~[" : "[");
	for (int s = 1; s <= 64; s++) {
		const char *name = sigabbrev_np(s);

		if (((set >> (s - 1)) & 1) == inverted)
			continue;
		pt_buf_puts(b, sep);
		sep = " ";
		if (name)
			pt_buf_puts(b, name);
		else if (s == 32)
			pt_buf_puts(b, "RTMIN");
		else
			pt_buf_printf(b, "RT_%d", s - 32);
	}
	pt_buf_putc(b, ']');
}

PRINTS(put_sigset)
{
	uint64_t set;

	COPY(set);
	put_set(t->out, set);
}

PRINTS(put_signal) { pt_text_signal_name(t->out, (int)v->number); }

PRINTS(put_sigaction)
{
	struct { uint64_t handler, flags, restorer, mask; } sa;

	COPY(sa);
	pt_buf_puts(t->out, sa.flags & SA_SIGINFO ? "{sa_sigaction=" : "{sa_handler=");
	if (sa.handler <= 1)
		pt_buf_puts(t->out, sa.handler ? "SIG_IGN" : "SIG_DFL");
	else
		pt_buf_printf(t->out, "%#llx", (unsigned long long)sa.handler);
	pt_buf_puts(t->out, ", sa_mask=");
	put_set(t->out, sa.mask);
	pt_buf_puts(t->out, ", sa_flags=");
	pt_flags_bits(t->out, pt_flags_table("sa"), sa.flags);
	if (sa.flags & 0x04000000)		/* SA_RESTORER */
		pt_buf_printf(t->out, ", sa_restorer=%#llx", (unsigned long long)sa.restorer);
	pt_buf_putc(t->out, '}');
}

PRINTS(put_stack)
{
	stack_t ss;

	COPY(ss);
	pt_buf_printf(t->out, ss.ss_sp ? "{ss_sp=%p, ss_flags=" : "{ss_sp=NULL, ss_flags=",
		      ss.ss_sp);
	put_bits_or(t, "sastack", (uint32_t)ss.ss_flags & 2, "0");
	pt_buf_printf(t->out, ", ss_size=%zu}", ss.ss_size);
}

PRINTS(put_limit)
{
	uint64_t lim[2];

	COPY(lim);
	for (int i = 0; i < 2; i++) {
		pt_buf_puts(t->out, i ? ", rlim_max=" : "{rlim_cur=");
		if (lim[i] == UINT64_MAX)
			pt_buf_puts(t->out, "RLIM64_INFINITY");
		else if (lim[i] > 1024 && lim[i] % 1024 == 0)
			pt_buf_printf(t->out, "%llu*1024", (unsigned long long)lim[i] / 1024);
		else
			pt_buf_dec(t->out, lim[i]);
	}
	pt_buf_putc(t->out, '}');
}

PRINTS(put_rusage)
{
	struct rusage ru;

	COPY(ru);
	pt_buf_printf(t->out,
		      "{ru_utime={tv_sec=%ld, tv_usec=%ld}, ru_stime={tv_sec=%ld, tv_usec=%ld}, ...}",
		      (long)ru.ru_utime.tv_sec, (long)ru.ru_utime.tv_usec,
		      (long)ru.ru_stime.tv_sec, (long)ru.ru_stime.tv_usec);
}

PRINTS(put_wait_status)
{
	int st;

	COPY(st);
	if (t->call->ret <= 0) {
		put_pointer(t, v);
		return;
	}
	if (WIFEXITED(st)) {
		pt_buf_printf(t->out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(st));
		return;
	}
	pt_buf_puts(t->out, WIFSTOPPED(st) ? "[{WIFSTOPPED(s) && WSTOPSIG(s) == "
					   : "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
	pt_text_signal_name(t->out, WIFSTOPPED(st) ? WSTOPSIG(st) : WTERMSIG(st));
	pt_buf_puts(t->out, WCOREDUMP(st) && !WIFSTOPPED(st) ? " && WCOREDUMP(s)}]" : "}]");
}

PRINTS(put_utsname)
{
	struct utsname u;

	COPY(u);
	u.sysname[sizeof(u.sysname) - 1] = u.nodename[sizeof(u.nodename) - 1] = '\0';
	pt_buf_puts(t->out, "{sysname=");
	pt_text_quoted(t->out, (uint8_t *)u.sysname, strlen(u.sysname), false);
	pt_buf_puts(t->out, ", nodename=");
	pt_text_quoted(t->out, (uint8_t *)u.nodename, strlen(u.nodename), false);
	pt_buf_puts(t->out, ", ...}");
}

PRINTS(put_strings)
{
	const struct pt_piece *p;
	uint32_t i;

	pt_buf_putc(t->out, '[');
	for (i = 0; (p = pt_call_element(t->call, v->arg, i)); i++) {
		size_t len = strnlen((const char *)(p + 1), p->len);

		if (i)
			pt_buf_puts(t->out, ", ");
		if (p->flags & PT_PIECE_FAULT)
			pt_buf_puts(t->out, "???");
		else
			pt_text_quoted(t->out, (const uint8_t *)(p + 1), PT_MIN(len, t->text_max),
				       len > t->text_max);
	}
	pt_buf_puts(t->out, i == PT_VECTOR_MAX ? ", ...]" : "]");
}

/* The address, and how many elements there are. */
static void put_tally(struct pt_text *t, const struct pt_value *v, const struct pt_piece *p,
		      const char *unit, const char *units)
{
	put_pointer(t, v);
	if (p && v->number)
		pt_buf_printf(t->out, " /* %u %s */", p->index, p->index == 1 ? unit : units);
}
PRINTS(put_pointers)
{
	put_tally(t, v, pt_call_piece(t->call, v->arg, PT_PIECE_END), "var", "vars");
}
PRINTS(put_dirents)
{
	put_tally(t, v, pt_call_piece(t->call, v->arg, PT_PIECE_END), "entry", "entries");
}

/* The buffers of an iovec, whose bytes are the pieces of `item`; what the call wrote ends with its
 * result. */
static void put_buffers(struct pt_text *t, const struct pt_value *v, int item, bool written)
{
	size_t left = written && t->call->ret > 0 ? (size_t)t->call->ret : SIZE_MAX;

	pt_buf_putc(t->out, '[');
	for (uint32_t i = 0; (i + 1) * sizeof(struct iovec) <= v->len; i++) {
		struct iovec iov;
		const struct pt_piece *p = NULL;
		size_t have;

		memcpy(&iov, v->bytes + i * sizeof(iov), sizeof(iov));
		for (uint32_t nth = i; !p && nth == i; nth++)
			p = pt_call_element(t->call, item, i);
		have = PT_MIN(iov.iov_len, left);
		if (left != SIZE_MAX)
			left -= have;
		pt_buf_puts(t->out, i ? ", {iov_base=" : "{iov_base=");
		if (p && (const uint8_t *)(p + 1) != v->bytes && !(p->flags & PT_PIECE_FAULT))
			pt_text_quoted(t->out, (const uint8_t *)(p + 1),
				       PT_MIN(PT_MIN(have, p->len), t->text_max),
				       have > t->text_max);
		else
			pt_buf_printf(t->out, "%p", iov.iov_base);
		pt_buf_printf(t->out, ", iov_len=%zu}", iov.iov_len);
	}
	pt_buf_puts(t->out, v->cut ? ", ...]" : "]");
}

PRINTS(put_iovec)
{
	put_buffers(t, v, v->arg, t->call->name && strstr(t->call->name, "read"));
}

static void put_port_and(struct pt_text *t, const char *prefix, uint16_t port, int family,
			 const void *address)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(family, address, text, sizeof(text));
	pt_buf_printf(t->out, "%s_port=htons(%u), ", prefix, ntohs(port));
	if (family == AF_INET)
		pt_buf_printf(t->out, "sin_addr=inet_addr(\"%s\")", text);
	else
		pt_buf_printf(t->out, "sin6_flowinfo=htonl(0), inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=0",
			      text);
}

PRINTS(put_sockaddr)
{
	union { struct sockaddr_storage all; struct sockaddr_un un; struct sockaddr_in in;
		struct sockaddr_in6 in6; } a;
	const char *path;
	size_t len;

	COPY(a);
	if (v->len < sizeof(sa_family_t)) {
		put_pointer(t, v);
		return;
	}
	pt_buf_puts(t->out, "{sa_family=");
	pt_flags_constant(t->out, pt_flags_table("af"), a.all.ss_family);
	if (a.all.ss_family == AF_UNIX && v->len > sizeof(sa_family_t)) {
		path = a.un.sun_path;
		len = PT_MIN(v->len, sizeof(a.un)) - sizeof(sa_family_t);
		pt_buf_puts(t->out, *path ? ", sun_path=" : ", sun_path=@");
		pt_text_quoted(t->out, (const uint8_t *)path + !*path,
			       *path ? strnlen(path, len) : len - 1, false);
	} else if (a.all.ss_family == AF_INET) {
		pt_buf_puts(t->out, ", ");
		put_port_and(t, "sin", a.in.sin_port, AF_INET, &a.in.sin_addr);
	} else if (a.all.ss_family == AF_INET6) {
		pt_buf_puts(t->out, ", ");
		put_port_and(t, "sin6", a.in6.sin6_port, AF_INET6, &a.in6.sin6_addr);
	} else if (v->len > sizeof(sa_family_t)) {
		pt_buf_puts(t->out, ", sa_data=");
		pt_text_quoted(t->out, v->bytes + 2, PT_MIN(v->len - 2, (size_t)14), false);
	}
	pt_buf_putc(t->out, '}');
}

PRINTS(put_message)
{
	struct msghdr m;
	const struct pt_piece *name = pt_call_piece(t->call, PT_PIECE_NAME, 0);
	const struct pt_piece *iov = pt_call_piece(t->call, PT_PIECE_IOVEC, 0);
	bool written = t->call->name && strstr(t->call->name, "recv");

	COPY(m);
	if (written) {
		name = pt_call_piece(t->call, PT_PIECE_NAME, PT_PIECE_AT_EXIT);
		iov = pt_call_piece(t->call, PT_PIECE_IOVEC, PT_PIECE_AT_EXIT);
	}
	pt_buf_puts(t->out, "{msg_name=");
	if (name) {
		struct pt_value n = { .bytes = (const uint8_t *)(name + 1), .len = name->len };

		put_sockaddr(t, &n);
	} else {
		pt_buf_puts(t->out, "NULL");
	}
	pt_buf_printf(t->out, ", msg_namelen=%u, msg_iov=", m.msg_namelen);
	if (iov) {
		struct pt_value n = { .bytes = (const uint8_t *)(iov + 1), .len = iov->len };

		put_buffers(t, &n, v->arg, written);
	} else {
		pt_buf_printf(t->out, "%p", (void *)m.msg_iov);
	}
	pt_buf_printf(t->out, ", msg_iovlen=%zu, msg_controllen=%zu, msg_flags=", m.msg_iovlen,
		      m.msg_controllen);
	pt_flags_bits(t->out, pt_flags_table("msg"), (uint32_t)m.msg_flags);
	pt_buf_putc(t->out, '}');
}

PRINTS(put_socket_type)
{
	uint32_t flags = (uint32_t)v->number & ~15u;

	pt_flags_constant(t->out, pt_flags_table("socktype"), v->number & 15);
	if (flags) {
		pt_buf_putc(t->out, '|');
		pt_flags_bits(t->out, pt_flags_table("sockflag"), flags);
	}
}

PRINTS(put_protocol)
{
	if (t->call->args[0] == AF_INET || t->call->args[0] == AF_INET6)
		pt_flags_constant(t->out, pt_flags_table("ipproto"), (uint32_t)v->number);
	else
		put_int(t, v);
}

PRINTS(put_socket_option)
{
	if (t->call->args[1] == SOL_SOCKET)
		pt_flags_constant(t->out, pt_flags_table("so"), (uint32_t)v->number);
	else
		put_int(t, v);
}

PRINTS(put_pollfd)
{
	struct pollfd p;

	COPY(p);
	pt_buf_puts(t->out, "{fd=");
	pt_buf_dec_signed(t->out, p.fd);
	pt_buf_puts(t->out, ", events=");
	pt_flags_bits(t->out, pt_flags_table("poll"), (uint16_t)p.events);
	pt_buf_putc(t->out, '}');
}
PRINTS(put_pollfds) { put_array(t, v, sizeof(struct pollfd), put_pollfd); }

PRINTS(put_epoll_event)
{
	struct epoll_event e;

	COPY(e);
	pt_buf_puts(t->out, "{events=");
	pt_flags_bits(t->out, pt_flags_table("epoll"), e.events);
	pt_buf_printf(t->out, ", data={u32=%u, u64=%llu}}", e.data.u32,
		      (unsigned long long)e.data.u64);
}
PRINTS(put_epoll_events) { put_array(t, v, sizeof(struct epoll_event), put_epoll_event); }

/* The numbers of the bits that are set. */
PRINTS(put_fd_set)
{
	const char *sep = "";

	pt_buf_putc(t->out, '[');
	for (size_t bit = 0; bit < v->len * 8; bit++)
		if (v->bytes[bit / 8] >> bit % 8 & 1) {
			pt_buf_printf(t->out, "%s%zu", sep, bit);
			sep = " ";
		}
	pt_buf_putc(t->out, ']');
}

/* FUTEX_WAIT_PRIVATE, and which of the other arguments it has. */
PRINTS(put_futex)
{
	static const uint8_t has_timeout[] = { FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET,
					       FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2 };
	uint32_t op = (uint32_t)v->number, cmd = op & 127;
	const struct pt_piece *p = pt_call_piece(t->call, 3, 0);

	pt_flags_constant(t->out, pt_flags_table("futexop"), cmd);
	pt_buf_puts(t->out, op & FUTEX_PRIVATE_FLAG ? "_PRIVATE" : "");
	pt_buf_puts(t->out, op & FUTEX_CLOCK_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "");
	if (cmd == FUTEX_UNLOCK_PI || cmd == FUTEX_TRYLOCK_PI)
		return;
	pt_buf_printf(t->out, ", %u", (uint32_t)t->call->args[2]);
	if (memchr(has_timeout, (int)cmd, sizeof(has_timeout))) {
		struct pt_value time = { .number = t->call->args[3] };

		pt_buf_puts(t->out, ", ");
		if (p) {
			time.bytes = (const uint8_t *)(p + 1);
			time.len = p->len;
			put_time(t, &time);
		} else {
			put_pointer(t, &time);
		}
	}
	if (cmd == FUTEX_REQUEUE || cmd == FUTEX_CMP_REQUEUE || cmd == FUTEX_WAKE_OP)
		pt_buf_printf(t->out, ", %u, %#llx", (uint32_t)t->call->args[3],
			      (unsigned long long)t->call->args[4]);
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
		pt_flags_bits(t->out, pt_flags_table("clone"), flags & ~255ull);
	if (flags & 255) {
		pt_buf_puts(t->out, flags & ~255ull ? "|" : "");
		pt_text_signal_name(t->out, (int)(flags & 255));
	}
	if (!flags)
		pt_buf_putc(t->out, '0');
}

PRINTS(put_clone)
{
	const uint64_t *args = t->call->args;
	struct pt_value stack = { .number = args[1] };

	pt_buf_puts(t->out, "child_stack=");
	put_pointer(t, &stack);
	pt_buf_puts(t->out, ", flags=");
	put_clone_bits(t, v->number);
	if (v->number & CLONE_PARENT_SETTID)
		pt_buf_printf(t->out, ", parent_tid=%#llx", (unsigned long long)args[2]);
	if (v->number & CLONE_SETTLS)
		pt_buf_printf(t->out, ", tls=%#llx", (unsigned long long)args[4]);
	if (v->number & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		pt_buf_printf(t->out, ", child_tidptr=%#llx", (unsigned long long)args[3]);
}

PRINTS(put_clone_args)
{
	struct clone_args a;

	COPY(a);
	pt_buf_puts(t->out, "{flags=");
	pt_flags_bits(t->out, pt_flags_table("clone"), a.flags);
	if (a.flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		pt_buf_printf(t->out, ", child_tid=%#llx", (unsigned long long)a.child_tid);
	if (a.flags & CLONE_PARENT_SETTID)
		pt_buf_printf(t->out, ", parent_tid=%#llx", (unsigned long long)a.parent_tid);
	pt_buf_puts(t->out, ", exit_signal=");
	if (a.exit_signal)
		pt_text_signal_name(t->out, (int)a.exit_signal);
	else
		pt_buf_putc(t->out, '0');
	pt_buf_printf(t->out, a.stack ? ", stack=%#llx" : ", stack=NULL",
		      (unsigned long long)a.stack);
	pt_buf_printf(t->out, ", stack_size=%#llx", (unsigned long long)a.stack_size);
	if (a.flags & CLONE_SETTLS)
		pt_buf_printf(t->out, ", tls=%#llx", (unsigned long long)a.tls);
	pt_buf_putc(t->out, '}');
}

PRINTS(put_open_how)
{
	struct { uint64_t flags, mode, resolve; } how;

	COPY(how);
	pt_buf_puts(t->out, "{flags=");
	pt_text_open_flags(t->out, (uint32_t)how.flags);
	pt_buf_printf(t->out, ", mode=%#03llo, resolve=%#llx}", (unsigned long long)how.mode,
		      (unsigned long long)how.resolve);
}

/* An argument that is part of the text of one before it. */
PRINTS(put_nothing) { (void)t; (void)v; }

/* size, fetch, print. UINT16_MAX: bits, in words of 8 bytes. */
const struct pt_type pt_types[] = {
	{ "d", 0, 0, put_int }, { "u", 0, 0, put_unsigned },
	{ "ld", 0, 0, put_long }, { "lu", 0, 0, put_unsigned_long },
	{ "x", 0, 0, put_hex }, { "xu", 0, 0, put_hex }, { "lx", 0, 0, put_hex_long },
	{ "p", 0, 0, put_pointer }, { "left", 0, 0, put_pointer },
	{ "fd", 0, 0, put_fd }, { "dirfd", 0, 0, put_dirfd }, { "id", 0, 0, put_id },
	{ "mode", 0, 0, put_mode }, { "createmode", 0, 0, put_create_mode },
	{ "openflags", 0, 0, put_open_flags }, { "accessmode", 0, 0, put_access_mode },
	{ "statxflags", 0, 0, put_statx_flags }, { "prot", 0, 0, put_protection },
	{ "mapflags", 0, 0, put_map_flags }, { "off", 0, 0, put_map_offset },
	{ "mremapaddr", 0, 0, put_mremap_address }, { "ioctlcmd", 0, 0, put_ioctl },
	{ "ioctlarg", 8, 0, put_pointer }, { "fcntlarg", sizeof(struct flock), 0, put_fcntl_argument },
	{ "prctlarg", 0, 0, put_hex_long }, { "cloneflags", 0, 0, put_clone },
	{ "futexop", 0, 0, put_futex }, { "shown", 16, 0, put_nothing }, { "sig", 0, 0, put_signal },
	{ "socktype", 0, 0, put_socket_type }, { "proto", 0, 0, put_protocol },
	{ "sockopt", 0, 0, put_socket_option },
	{ "path", 0, PT_FETCH_TEXT, put_path }, { "str", 1, 0, put_string },
	{ "hex", 1, 0, put_hex_bytes }, { "sockaddr", 1, 0, put_sockaddr },
	{ "cpuset", 1, 0, put_fd_set }, { "fdset", UINT16_MAX, 0, put_fd_set },
	{ "strings", 8, PT_FETCH_STRINGS, put_strings },
	{ "pointers", 8, PT_FETCH_POINTERS, put_pointers },
	{ "dirents", 8, PT_FETCH_DIRENTS, put_dirents },
	{ "iov", sizeof(struct iovec), PT_FETCH_IOVECS, put_iovec },
	{ "msghdr", sizeof(struct msghdr), PT_FETCH_MESSAGE, put_message },
	{ "stat", sizeof(struct stat), 0, put_stat }, { "statx", sizeof(struct statx), 0, put_statx },
	{ "statfs", sizeof(struct statfs), 0, put_statfs },
	{ "openhow", 24, 0, put_open_how }, { "fdpair", 8, 0, put_fds },
	{ "ints", 4, 0, put_ints }, { "intp", 4, 0, put_ints }, { "idp", 4, 0, put_ids },
	{ "ids", 4, 0, put_ids }, { "loff", 8, 0, put_offset },
	{ "timespec", 16, 0, put_time }, { "timeval", 16, 0, put_time_usec },
	{ "timespecs", 32, 0, put_times }, { "itimerval", 32, 0, put_itimerval },
	{ "itimerspec", 32, 0, put_itimerspec }, { "sigset", 8, 0, put_sigset },
	{ "sigaction", 32, 0, put_sigaction }, { "stack", sizeof(stack_t), 0, put_stack },
	{ "siginfo", 8, 0, put_pointer }, { "rlimit", 16, 0, put_limit },
	{ "rusage", sizeof(struct rusage), 0, put_rusage }, { "waitstatus", 4, 0, put_wait_status },
	{ "cloneargs", sizeof(struct clone_args), 0, put_clone_args },
	{ "utsname", sizeof(struct utsname), 0, put_utsname }, { "sysinfo", 8, 0, put_pointer },
	{ "pollfds", sizeof(struct pollfd), 0, put_pollfds },
	{ "epollevent", sizeof(struct epoll_event), 0, put_epoll_event },
	{ "epollevents", sizeof(struct epoll_event), 0, put_epoll_events },
	{ NULL, 0, 0, NULL }
};
