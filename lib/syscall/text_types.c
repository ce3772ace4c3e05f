/* The table of types, numbers and flags among them, and structures by their members. */
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/netlink.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "syscall/flags.h"
#include "syscall/text_priv.h"

struct pt_value pt_value_of(const struct pt_piece *p, int arg)
{
	struct pt_value v = { .arg = arg };

	if (p) {
		v.bytes = (const uint8_t *)(p + 1);
		v.len = p->len;
	}
	return v;
}

void pt_value_copy(void *to, size_t size, const struct pt_value *v)
{
	memset(to, 0, size);
	if (v->bytes)
		memcpy(to, v->bytes, PT_MIN(size, v->len));
}

static PRINTS(put_int) { pt_buf_dec_signed(t->out, (int32_t)v->number); }

static PRINTS(put_unsigned) { pt_buf_dec(t->out, (uint32_t)v->number); }

static PRINTS(put_long) { pt_buf_dec_signed(t->out, (int64_t)v->number); }

static PRINTS(put_unsigned_long) { pt_buf_dec(t->out, v->number); }

static PRINTS(put_hex) { pt_text_hex(t->out, (uint32_t)v->number); }

static PRINTS(put_hex_long) { pt_text_hex(t->out, v->number); }

static PRINTS(put_mode) { pt_buf_printf(t->out, "%#03o", (unsigned)v->number); }

PRINTS(pt_put_pointer) { pt_text_address(t->out, v->number); }

static PRINTS(put_fd)
{
	int fd = (int)v->number;

	pt_buf_dec_signed(t->out, fd);
	if (t->fd && fd >= 0)
		t->fd(t->ctx, t, fd);
}

static PRINTS(put_dirfd)
{
	if ((int)v->number != AT_FDCWD) {
		put_fd(t, v);
		return;
	}
	pt_buf_puts(t->out, "AT_FDCWD");
	if (t->fd)
		t->fd(t->ctx, t, AT_FDCWD);
}

static PRINTS(put_id)
{
	if ((uint32_t)v->number == UINT32_MAX)
		pt_buf_puts(t->out, "-1");
	else
		put_unsigned(t, v);
}

static PRINTS(put_short) { pt_buf_dec_signed(t->out, (int16_t)v->number); }
static PRINTS(put_unsigned_short) { pt_buf_dec(t->out, (uint16_t)v->number); }

/* An identity of 16 bits. */
static PRINTS(put_short_id)
{
	if ((uint16_t)v->number == UINT16_MAX)
		pt_buf_puts(t->out, "-1");
	else
		put_unsigned_short(t, v);
}

static PRINTS(put_signal) { pt_text_signal_name(t->out, (int)v->number, "SIG"); }

void pt_text_open_flags(struct pt_text *t, uint32_t flags)
{
	static const char *const access[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };

	pt_buf_puts(t->out, access[flags & O_ACCMODE]);
	flags &= ~(uint32_t)O_ACCMODE;
	if (flags) {
		pt_buf_putc(t->out, '|');
		pt_text_cpu_bits(t, "open", flags);
	}
}

static PRINTS(put_open_flags) { pt_text_open_flags(t, (uint32_t)v->number); }

static PRINTS(put_open_bits) { pt_text_cpu_bits(t, "open", (uint32_t)v->number); }

static PRINTS(put_create_mode)
{
	if (t->call->args[v->arg - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
		put_mode(t, v);
}

/* A set of bits of which 0 has a name. */
static void put_bits_or(struct pt_text *t, const char *table, uint64_t value, const char *zero)
{
	if (value)
		pt_text_cpu_bits(t, table, value);
	else
		pt_buf_puts(t->out, zero);
}

static PRINTS(put_access_mode) { put_bits_or(t, "access", (uint32_t)v->number, "F_OK"); }

static PRINTS(put_protection) { put_bits_or(t, "prot", (uint32_t)v->number, "PROT_NONE"); }

static PRINTS(put_statx_flags)
{
	uint32_t sync = (uint32_t)v->number & 0x6000, rest = (uint32_t)v->number & ~0x6000u;

	put_bits_or(t, "statxsync", sync, "AT_STATX_SYNC_AS_STAT");
	if (rest) {
		pt_buf_putc(t->out, '|');
		pt_text_bits(t->out, "at", rest);
	}
}

static PRINTS(put_map_flags)
{
	static const char *const kinds[] = { "0", "MAP_SHARED", "MAP_PRIVATE",
					     "MAP_SHARED_VALIDATE" };
	uint32_t flags = (uint32_t)v->number;

	pt_buf_puts(t->out, flags & 12 ? "MAP_???" : kinds[flags & 3]);
	if (flags & ~15u) {
		pt_buf_putc(t->out, '|');
		pt_text_bits(t->out, "map", flags & ~15u);
	}
}

static PRINTS(put_map_offset)
{
	if (v->number)
		put_hex_long(t, v);
	else
		pt_buf_putc(t->out, '0');
}

static PRINTS(put_pages) { pt_text_hex(t->out, v->number << 12); }

/* A 64-bit number in two arguments, this one and the next. */
static PRINTS(put_pair)
{
	pt_buf_dec_signed(t->out, (int64_t)(v->number | t->call->args[v->arg + 1] << 32));
}

static PRINTS(put_high_low)
{
	pt_buf_dec_signed(t->out, (int64_t)(v->number << 32 | t->call->args[v->arg + 1]));
}

static PRINTS(put_mremap_address)
{
	if (t->call->args[3] & 2)		/* MREMAP_FIXED */
		pt_put_pointer(t, v);
}

static PRINTS(put_ioctl)
{
	const char *name = pt_flags_name(pt_flags_table("ioctl"), (uint32_t)v->number);
	unsigned cmd = (unsigned)v->number;

	if (name)
		pt_buf_puts(t->out, name);
	else
		pt_buf_printf(t->out, "_IOC(%#x, %#x, %#x, %#x)", cmd >> 30, cmd >> 8 & 255,
			      cmd & 255, cmd >> 16 & 0x3fff);
}

static PRINTS(put_limit)
{
	if (v->number == UINT64_MAX)
		pt_buf_puts(t->out, "RLIM64_INFINITY");
	else if (v->number == UINT32_MAX && t->call->compat)
		pt_buf_puts(t->out, "RLIM_INFINITY");
	else if (v->number > 1024 && v->number % 1024 == 0)
		pt_buf_printf(t->out, "%llu*1024", (unsigned long long)v->number / 1024);
	else
		pt_buf_dec(t->out, v->number);
}

static PRINTS(put_socket_type)
{
	uint32_t flags = (uint32_t)v->number & ~15u;

	pt_text_constant(t->out, "socktype", v->number & 15);
	if (flags) {
		pt_buf_putc(t->out, '|');
		pt_text_bits(t->out, "sockflag", flags);
	}
}

static PRINTS(put_protocol)
{
	if (t->call->args[0] == AF_INET || t->call->args[0] == AF_INET6)
		pt_text_constant(t->out, "ipproto", (uint32_t)v->number);
	else if (t->call->args[0] == AF_NETLINK)
		pt_text_constant(t->out, "netlink", (uint32_t)v->number);
	else
		put_int(t, v);
}

static PRINTS(put_socket_option)
{
	static const struct { uint32_t level; const char *table; } levels[] = {
		{ SOL_SOCKET, "so" }, { IPPROTO_IP, "soip" }, { IPPROTO_IPV6, "soip6" },
		{ IPPROTO_TCP, "sotcp" }, { SOL_NETLINK, "sonetlink" },
	};

	for (size_t i = 0; i < PT_NR(levels); i++)
		if ((uint32_t)t->call->args[1] == levels[i].level) {
			pt_text_constant(t->out, levels[i].table, (uint32_t)v->number);
			return;
		}
	put_int(t, v);
}

/* An option of a socket: numbers, or a name. */
static PRINTS(put_option_value)
{
	const char *error = NULL;
	int value;

	COPY(value);
	if (t->call->args[1] == SOL_SOCKET && t->call->args[2] == SO_ERROR)
		error = strerrorname_np(value);
	if (!v->len)
		pt_text_address(t->out, t->call->args[v->arg]);
	else if (v->len % sizeof(value) && !v->cut)
		pt_put_string(t, v);
	else if (error && value)
		pt_buf_printf(t->out, "[%s]", error);
	else
		pt_text_array(t, pt_type_find("d", 1, false), v);
}

/* An attribute of a file, or their list. With a size of 0 only its length was asked for. */
static PRINTS(put_attribute)
{
	if (t->call->args[v->arg + 1])
		pt_put_string(t, v);
	else
		pt_text_address(t->out, t->call->args[v->arg]);
}

static PRINTS(put_epoll_ctl)
{
	if (t->call->args[1] == EPOLL_CTL_DEL)		/* the kernel does not read it */
		pt_text_address(t->out, t->call->args[v->arg]);
	else
		pt_put_epoll_event(t, v);
}

static PRINTS(put_nothing) { (void)t; (void)v; }

#define NUMBER(name, size, print) { name, size, 0, true, false, print, NULL, size }
#define ARGUMENT(name, print) { name, 0, 0, false, false, print, NULL, 0 }
#define BARE(name, size, print) { name, size, 0, false, true, print, NULL, 0 }
#define MEMORY(name, size, fetch, print) \
	{ name, size, fetch, false, false, print, NULL, (uint8_t)((size) < 8 ? (size) : 8) }
#define STRUCT(name, size, members) { name, size, 0, false, false, NULL, members, 0 }

static const struct pt_type types[] = {
	NUMBER("d", 4, put_int), NUMBER("u", 4, put_unsigned), NUMBER("hd", 2, put_short),
	NUMBER("hu", 2, put_unsigned_short), NUMBER("ld", 8, put_long), NUMBER("loff", 8, put_long),
	NUMBER("lu", 8, put_unsigned_long), NUMBER("x", 4, put_hex),
	NUMBER("lx", 8, put_hex_long), NUMBER("p", 8, pt_put_pointer), NUMBER("fd", 4, put_fd),
	NUMBER("id", 4, put_id), NUMBER("mode", 4, put_mode), NUMBER("sig", 4, put_signal),
	NUMBER("openflags", 4, put_open_flags), NUMBER("openflags64", 8, put_open_flags),
	NUMBER("mode64", 8, put_mode), NUMBER("limit", 8, put_limit),
	ARGUMENT("openbits", put_open_bits),
	ARGUMENT("left", pt_put_pointer), ARGUMENT("dirfd", put_dirfd),
	ARGUMENT("createmode", put_create_mode), ARGUMENT("accessmode", put_access_mode),
	ARGUMENT("statxflags", put_statx_flags), ARGUMENT("prot", put_protection),
	ARGUMENT("mapflags", put_map_flags), ARGUMENT("off", put_map_offset),
	ARGUMENT("mremapaddr", put_mremap_address), ARGUMENT("ioctlcmd", put_ioctl),
	ARGUMENT("cloneflags", pt_put_clone), ARGUMENT("futexop", pt_put_futex),
	ARGUMENT("socktype", put_socket_type), ARGUMENT("proto", put_protocol),
	ARGUMENT("sockopt", put_socket_option),
	/* whose meaning is another argument's to say */
	ARGUMENT("rest", put_nothing),
	BARE("shown", 16, put_nothing), BARE("ioctlarg", 8, pt_put_ioctl_argument),
	BARE("fcntlarg", 32, pt_put_fcntl_argument), BARE("prctlarg", 16, pt_put_prctl_argument),
	MEMORY("path", 0, PT_FETCH_TEXT, pt_put_path), MEMORY("str", 1, 0, pt_put_string),
	MEMORY("optval", 1, 0, put_option_value), MEMORY("attribute", 1, 0, put_attribute),
	MEMORY("hex", 1, 0, pt_put_hex_bytes), MEMORY("sockaddr", 1, 0, pt_put_sockaddr),
	MEMORY("cpuset", 1, 0, pt_put_fd_set), MEMORY("fdset", UINT16_MAX, 0, pt_put_fd_set),
	MEMORY("strings", 8, PT_FETCH_STRINGS, pt_put_strings),
	MEMORY("pointers", 8, PT_FETCH_POINTERS, pt_put_pointers),
	MEMORY("dirents", 16, PT_FETCH_DIRENTS, pt_put_dirents),
	MEMORY("dirents64", 16, PT_FETCH_DIRENTS, pt_put_dirents),
	MEMORY("iov", sizeof(struct iovec), PT_FETCH_IOVECS, pt_put_iovec),
	MEMORY("msghdr", sizeof(struct msghdr), PT_FETCH_MESSAGE, pt_put_message),
	MEMORY("stat", sizeof(struct stat), 0, pt_put_stat),
	MEMORY("statx", sizeof(struct statx), 0, pt_put_statx),
	MEMORY("utime", 16, 0, pt_put_file_time), MEMORY("sigset", 8, 0, pt_put_sigset),
	MEMORY("sigaction", 32, 0, pt_put_sigaction), MEMORY("siginfo", 128, 0, pt_put_siginfo),
	MEMORY("waitstatus", 4, 0, pt_put_wait_status),
	MEMORY("cloneargs", sizeof(struct clone_args), 0, pt_put_clone_args),
	MEMORY("capsets", 24, 0, pt_put_capability_sets),
	MEMORY("epollevent", sizeof(struct epoll_event), 0, pt_put_epoll_event),
	MEMORY("epollctl", sizeof(struct epoll_event), 0, put_epoll_ctl),
	MEMORY("sigevent", sizeof(struct sigevent), 0, pt_put_sigevent),
	STRUCT("timespec", 16, "tv_sec:ld tv_nsec:ld"),
	STRUCT("timeval", 16, "tv_sec:ld tv_usec:ld"),
	STRUCT("timezone", 8, "tz_minuteswest:d tz_dsttime:d"),
	STRUCT("itimerval", 32, "it_interval:timeval it_value:timeval"),
	STRUCT("itimerspec", 32, "it_interval:timespec it_value:timespec"),
	STRUCT("stack", 24, "ss_sp:p ss_flags:|sastack ss_size:lu"),
	STRUCT("rlimit", 16, "rlim_cur:limit rlim_max:limit"),
	STRUCT("rusage", 144, "ru_utime:timeval ru_stime:timeval ...:rest"),
	STRUCT("utsname", 390, "sysname:str*65 nodename:str*65 ...:rest"),
	STRUCT("sysinfo", 112, "uptime:ld loads:lu*3 totalram:lu freeram:lu sharedram:lu bufferram:lu totalswap:lu freeswap:lu procs:hu totalhigh:lu freehigh:lu mem_unit:u"),
	STRUCT("statfs", 120, "f_type:#fsmagic/8 f_bsize:lu f_blocks:lu f_bfree:lu f_bavail:lu f_files:lu f_ffree:lu f_fsid:fsid f_namelen:lu f_frsize:lu f_flags:|statfs/8"),
	STRUCT("fsid", 8, "val:x*2"),
	STRUCT("pollfd", 8, "fd:fd events:|poll/2"),
	STRUCT("flock", 32, "l_type:#locktype/2 l_whence:#whence/2 l_start:ld l_len:ld"),
	STRUCT("flockpid", 32, "l_type:#locktype/2 l_whence:#whence/2 l_start:ld l_len:ld l_pid:d"),
	STRUCT("widelock", 32, "l_type:#locktype/2 l_whence:#whence/2 l_start:ld l_len:ld"),
	STRUCT("widelockpid", 32, "l_type:#locktype/2 l_whence:#whence/2 l_start:ld l_len:ld l_pid:d"),
	STRUCT("winsize", 8, "ws_row:hu ws_col:hu ws_xpixel:hu ws_ypixel:hu"),
	STRUCT("frame", 8, "mask:sigset"),
	STRUCT("caphead", 8, "version:#capversion pid:d"),
	STRUCT("openhow", 24, "flags:openflags64 mode:mode64 resolve:lx"),
	/* of 32-bit programs */
	NUMBER("id16", 2, put_short_id), NUMBER("ld32", 4, put_int),
	NUMBER("p32", 4, pt_put_pointer), NUMBER("limit32", 4, put_limit),
	/* 8 bytes, aligned to 4 */
	{ "ldloose", 8, 0, true, false, put_long, NULL, 4 },
	ARGUMENT("pair", put_pair), ARGUMENT("highlow", put_high_low),
	ARGUMENT("pages", put_pages),
	MEMORY("strings32", 4, PT_FETCH_STRINGS, pt_put_strings),
	MEMORY("pointers32", 4, PT_FETCH_POINTERS, pt_put_pointers),
	MEMORY("dirents32", 8, PT_FETCH_DIRENTS, pt_put_dirents),
	MEMORY("iov32", 8, PT_FETCH_IOVECS, pt_put_iovec),
	MEMORY("msghdr32", 28, PT_FETCH_MESSAGE, pt_put_message),
	MEMORY("stat32", 64, 0, pt_put_stat), MEMORY("stat64", 96, 0, pt_put_stat),
	MEMORY("utime32", 8, 0, pt_put_file_time), MEMORY("sigaction32", 20, 0, pt_put_sigaction),
	STRUCT("timespec32", 8, "tv_sec:d tv_nsec:d"), STRUCT("timeval32", 8, "tv_sec:d tv_usec:d"),
	STRUCT("itimerval32", 16, "it_interval:timeval32 it_value:timeval32"),
	STRUCT("itimerspec32", 16, "it_interval:timespec32 it_value:timespec32"),
	STRUCT("stack32", 12, "ss_sp:p32 ss_flags:|sastack ss_size:u"),
	STRUCT("rlimit32", 8, "rlim_cur:limit32 rlim_max:limit32"),
	STRUCT("rlimit64", 16, "rlim_cur:limit rlim_max:limit"),
	STRUCT("rusage32", 72, "ru_utime:timeval32 ru_stime:timeval32 ...:rest"),
	STRUCT("sysinfo32", 64, "uptime:d loads:u*3 totalram:u freeram:u sharedram:u bufferram:u totalswap:u freeswap:u procs:hu totalhigh:u freehigh:u mem_unit:u"),
	STRUCT("statfs32", 64, "f_type:#fsmagic f_bsize:u f_blocks:u f_bfree:u f_bavail:u f_files:u f_ffree:u f_fsid:fsid f_namelen:u f_frsize:u f_flags:|statfs"),
	STRUCT("statfs64", 84, "f_type:#fsmagic f_bsize:u f_blocks:lu f_bfree:lu f_bavail:lu f_files:lu f_ffree:lu f_fsid:fsid f_namelen:u f_frsize:u f_flags:|statfs"),
	STRUCT("flock32", 16, "l_type:#locktype/2 l_whence:#whence/2 l_start:d l_len:d"),
	STRUCT("flockpid32", 16, "l_type:#locktype/2 l_whence:#whence/2 l_start:d l_len:d l_pid:d"),
	STRUCT("widelock32", 24, "l_type:#locktype/2 l_whence:#whence/2 l_start:ldloose l_len:ldloose"),
	STRUCT("widelockpid32", 24, "l_type:#locktype/2 l_whence:#whence/2 l_start:ldloose l_len:ldloose l_pid:d"),
};

const struct pt_type *pt_type_find(const char *name, size_t len, bool compat)
{
	const struct pt_type *found = NULL;

	for (size_t i = 0; i < PT_NR(types); i++) {
		const char *ending = types[i].name + len;

		if (strncmp(types[i].name, name, len))
			continue;
		if (compat && !strcmp(ending, "32"))
			return &types[i];
		if (!*ending)
			found = &types[i];
	}
	return found;
}

static void put_member(struct pt_text *t, const struct pt_value *v, const struct pt_arg *m)
{
	struct pt_value member = { .bytes = v->bytes + m->at, .len = m->size, .arg = v->arg };

	if (m->at + m->size > v->len) {
		pt_buf_puts(t->out, "???");
		return;
	}
	memcpy(&member.number, member.bytes, PT_MIN(m->size, sizeof(member.number)));
	if (m->table && m->constant)
		pt_flags_constant(t->out, m->table, member.number);
	else if (m->table)
		pt_flags_bits(t->out, m->table, member.number);
	else if (m->type->number && m->size > m->type->size)
		pt_text_array(t, m->type, &member);
	else
		pt_text_value(t, m->type, &member);
}

static const struct pt_spec *members_of(struct pt_text *t, const struct pt_type *type)
{
	struct pt_spec **s;

	if (!t->members)
		t->members = pt_alloc_array(PT_NR(types), sizeof(*t->members));
	s = &t->members[type - types];
	if (!*s) {
		*s = pt_alloc(sizeof(**s));
		pt_spec_parse_members(type, *s);
	}
	return *s;
}

void pt_types_free(struct pt_spec **members)
{
	for (size_t i = 0; members && i < PT_NR(types); i++)
		free(members[i]);
	free(members);
}

static void put_structure(struct pt_text *t, const struct pt_type *type, const struct pt_value *v)
{
	const struct pt_spec *s = members_of(t, type);

	for (int i = 0; i < s->nr; i++) {
		pt_buf_puts(t->out, i ? ", " : "{");
		pt_buf_puts(t->out, s->args[i].name);
		if (!strcmp(s->args[i].name, "..."))
			break;
		pt_buf_putc(t->out, '=');
		put_member(t, v, &s->args[i]);
	}
	pt_buf_putc(t->out, '}');
}

void pt_text_value(struct pt_text *t, const struct pt_type *type, const struct pt_value *v)
{
	if (type->members)
		put_structure(t, type, v);
	else
		type->print(t, v);
}

void pt_text_array(struct pt_text *t, const struct pt_type *type, const struct pt_value *v)
{
	size_t size = type->size, nr = v->len / size, shown = PT_MIN(nr, t->text_max);

	pt_buf_putc(t->out, '[');
	for (size_t i = 0; i < shown; i++) {
		struct pt_value element = { .bytes = v->bytes + i * size, .len = size,
					    .arg = v->arg };

		memcpy(&element.number, element.bytes, PT_MIN(size, sizeof(uint64_t)));
		if (i)
			pt_buf_puts(t->out, ", ");
		pt_text_value(t, type, &element);
	}
	pt_buf_puts(t->out, v->cut || shown < nr ? ", ...]" : "]");
}
