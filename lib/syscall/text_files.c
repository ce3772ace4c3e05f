/* Types of files, strings, buffers and sockets: as strace writes them. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "base/mem.h"
#include "syscall/flags.h"
#include "syscall/text_priv.h"

PRINTS(pt_put_path)
{
	pt_text_quoted(t->out, v->bytes, v->len ? strnlen((const char *)v->bytes, v->len) : 0,
		       v->len == PT_PIECE_MAX);
}

/* Bytes of a known number, or up to NUL where nobody gives one. */
PRINTS(pt_put_string)
{
	size_t len = v->len;

	if (!v->counted && len)
		len = strnlen((const char *)v->bytes, len);
	pt_text_quoted(t->out, v->bytes, PT_MIN(len, t->text_max), v->cut || len > t->text_max);
}

PRINTS(pt_put_hex_bytes)
{
	pt_buf_putc(t->out, '"');
	for (size_t i = 0; i < PT_MIN(v->len, t->text_max); i++)
		pt_buf_printf(t->out, "\\x%02x", v->bytes[i]);
	pt_buf_puts(t->out, v->cut || v->len > t->text_max ? "\"..." : "\"");
}

/* S_IFREG|0644 */
static void put_file_mode(struct pt_buf *b, uint32_t mode)
{
	const char *type = pt_flags_name(pt_flags_table("stattype"), mode & 0170000);

	if (type)
		pt_buf_printf(b, "%s|", type);
	if (mode & 07000) {
		pt_text_bits(b, "modebit", mode & 07000);
		pt_buf_putc(b, '|');
	}
	pt_buf_printf(b, "%#03o", mode & 0777);
}

static bool is_device(uint32_t mode)
{
	return (mode & 0170000) == 0020000 || (mode & 0170000) == 0060000;
}

static void put_stat_tail(struct pt_buf *b, uint32_t mode, uint64_t size, unsigned maj,
			  unsigned min)
{
	if (is_device(mode))
		pt_buf_printf(b, "makedev(%#x, %#x)", maj, min);
	else
		pt_buf_dec(b, size);
	pt_buf_puts(b, ", ...}");
}

/* Of 32-bit programs: struct stat64 or, shorter, struct stat (arch/x86/include). */
static struct stat stat_of_compat(const struct pt_value *v)
{
	enum { STAT_BYTES = 64 };
	struct { uint64_t dev; uint32_t pad, ino, mode, nlink, uid, gid, rdev[3], size[2]; } large;
	struct { uint32_t dev, ino; uint16_t mode, nlink, uid, gid; uint32_t rdev, size; } small;

	COPY(large);
	COPY(small);
	if (v->len == STAT_BYTES)
		return (struct stat){ .st_mode = small.mode, .st_rdev = small.rdev,
				      .st_size = small.size };
	return (struct stat){ .st_mode = large.mode, .st_rdev = large.rdev[0],
			      .st_size = (off_t)(large.size[0] | (uint64_t)large.size[1] << 32) };
}

PRINTS(pt_put_stat)
{
	struct stat st;

	COPY(st);
	if (t->call->compat)
		st = stat_of_compat(v);
	pt_buf_puts(t->out, "{st_mode=");
	put_file_mode(t->out, st.st_mode);
	pt_buf_puts(t->out, is_device(st.st_mode) ? ", st_rdev=" : ", st_size=");
	put_stat_tail(t->out, st.st_mode, (uint64_t)st.st_size, major(st.st_rdev),
		      minor(st.st_rdev));
}

PRINTS(pt_put_statx)
{
	struct statx st;

	COPY(st);
	pt_buf_puts(t->out, "{stx_mask=");
	pt_text_bits(t->out, "statxmask", st.stx_mask);
	pt_buf_puts(t->out, ", stx_attributes=");
	pt_buf_printf(t->out, st.stx_attributes ? "%#llx" : "0",
		      (unsigned long long)st.stx_attributes);
	pt_buf_puts(t->out, ", stx_mode=");
	put_file_mode(t->out, st.stx_mode);
	pt_buf_puts(t->out, is_device(st.stx_mode) ? ", stx_rdev=" : ", stx_size=");
	put_stat_tail(t->out, st.stx_mode, st.stx_size, st.stx_rdev_major, st.stx_rdev_minor);
}

/* What an argument is that depends on another one. "": there is none. */
struct choice { uint64_t value; const char *is; };

static const struct choice fcntl_choices[] = {
	{ F_GETFD, "" }, { F_GETFL, "" }, { F_GETOWN, "" }, { F_GETPIPE_SZ, "" }, { F_GETSIG, "" },
	{ F_GET_SEALS, "" }, { F_GETLEASE, "" }, { F_SETFD, "|fdflag" }, { F_SETFL, "openflags" },
	{ F_DUPFD, "d" }, { F_DUPFD_CLOEXEC, "d" }, { F_SETOWN, "d" }, { F_SETPIPE_SZ, "lu" },
	{ F_SETSIG, "sig" }, { F_GETLK, "<flockpid" }, { F_SETLK, ">flock" },
	{ F_SETLKW, ">flock" }, { F_OFD_GETLK, "<widelockpid" }, { F_OFD_SETLK, ">widelock" },
	{ F_OFD_SETLKW, ">widelock" },
	/* of 32-bit programs: F_GETLK64, F_SETLK64, F_SETLKW64 */
	{ 12, "<widelockpid" }, { 13, ">widelock" }, { 14, ">widelock" },
	{ 0, NULL }
};

static const struct choice ioctl_choices[] = {
	{ FIONREAD, "<d" }, { FIONBIO, ">d" }, { TIOCGPGRP, "<d" }, { TIOCSPGRP, ">d" },
	{ TIOCGWINSZ, "<winsize" }, { TIOCSWINSZ, ">winsize" }, { FIOCLEX, "" }, { FIONCLEX, "" },
	{ 0, NULL }
};

static const struct choice prctl_choices[] = {
	{ PR_SET_NAME, ">str" }, { PR_GET_NAME, "<str" }, { PR_SET_PDEATHSIG, "sig" },
	{ PR_GET_DUMPABLE, "" }, { PR_CAPBSET_READ, "#capability" }, { PR_GET_KEEPCAPS, "" },
	{ PR_GET_NO_NEW_PRIVS, "" }, { PR_GET_SECCOMP, "" }, { PR_GET_TIMERSLACK, "" },
	{ PR_SET_DUMPABLE, "#dumpable" },
	{ 0, NULL }
};

static void put_choice(struct pt_text *t, const struct pt_value *v, const char *is)
{
	bool written = *is == '<';
	const struct pt_piece *p = pt_call_piece(t->call, v->arg, written ? PT_PIECE_AT_EXIT : 0);
	const struct pt_type *type;
	struct pt_value value = pt_value_of(p, v->arg);

	if (*is == '|' || *is == '#') {
		(*is == '|' ? pt_text_bits : pt_text_constant)(t->out, is + 1,
							       (uint32_t)v->number);
		return;
	}
	if (*is != '<' && *is != '>') {
		pt_text_value(t, pt_type_find(is, strlen(is), t->call->compat), v);
		return;
	}
	if (!p || (written && t->call->ret < 0)) {
		pt_put_pointer(t, v);
		return;
	}
	type = pt_type_find(is + 1, strlen(is + 1), t->call->compat);
	value.number = v->number;
	value.len = PT_MIN(p->len, type->number || type->members ? type->size : p->len);
	if (type->number)
		pt_text_array(t, type, &value);
	else
		pt_text_value(t, type, &value);
}

/* What an argument is goes by another one, the selector. */
static void put_chosen(struct pt_text *t, const struct pt_value *v, const struct choice *choice,
		       int selector, const char *otherwise)
{
	while (choice->is && choice->value != (uint32_t)t->call->args[selector])
		choice++;
	if (!choice->is || *choice->is)
		put_choice(t, v, choice->is ? choice->is : otherwise);
}

PRINTS(pt_put_fcntl_argument) { put_chosen(t, v, fcntl_choices, 1, "lx"); }
PRINTS(pt_put_ioctl_argument) { put_chosen(t, v, ioctl_choices, 1, "p"); }
PRINTS(pt_put_prctl_argument) { put_chosen(t, v, prctl_choices, 0, "lx"); }

/* The address, and how many elements there are. */
static void put_tally(struct pt_text *t, const struct pt_value *v, const struct pt_piece *p,
		      const char *unit, const char *units)
{
	pt_put_pointer(t, v);
	if (p && v->number)
		pt_buf_printf(t->out, " /* %u %s */", p->index, p->index == 1 ? unit : units);
}

PRINTS(pt_put_pointers)
{
	put_tally(t, v, pt_call_piece(t->call, v->arg, PT_PIECE_END), "var", "vars");
}

PRINTS(pt_put_dirents)
{
	put_tally(t, v, pt_call_piece(t->call, v->arg, PT_PIECE_END), "entry", "entries");
}

PRINTS(pt_put_strings)
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

/* Words of a structure of this call's program: 8 bytes each, or 4. */
static void copy_words(struct pt_text *t, uint64_t *to, size_t nr, const struct pt_value *v)
{
	uint32_t narrow[8];

	if (t->call->compat)
		pt_value_copy(narrow, nr * sizeof(*narrow), v);
	else
		pt_value_copy(to, nr * sizeof(*to), v);
	for (size_t i = 0; i < nr && t->call->compat; i++)
		to[i] = narrow[i];
}

static struct iovec iovec_of(struct pt_text *t, const struct pt_value *v)
{
	uint64_t word[2];

	copy_words(t, word, 2, v);
	return (struct iovec){ (void *)(uintptr_t)word[0], word[1] };
}

/* The buffers of an iovec, whose bytes are the pieces of `item`; what the call wrote ends with its
 * result. */
static void put_buffers(struct pt_text *t, const struct pt_value *v, int item, bool written)
{
	size_t left = written && t->call->ret > 0 ? (size_t)t->call->ret : SIZE_MAX;
	size_t size = t->call->compat ? 8 : sizeof(struct iovec);

	pt_buf_putc(t->out, '[');
	for (uint32_t i = 0; (i + 1) * size <= v->len; i++) {
		struct pt_value one = { .bytes = v->bytes + i * size, .len = size };
		struct iovec iov = iovec_of(t, &one);
		const struct pt_piece *p = pt_call_element(t->call, item, i);
		size_t have;

		have = PT_MIN(iov.iov_len, left);
		if (left != SIZE_MAX)
			left -= have;
		pt_buf_puts(t->out, i ? ", {iov_base=" : "{iov_base=");
		if (p && (const uint8_t *)(p + 1) > v->bytes && !(p->flags & PT_PIECE_FAULT))
			pt_text_quoted(t->out, (const uint8_t *)(p + 1),
				       PT_MIN(PT_MIN(have, p->len), t->text_max),
				       have > t->text_max);
		else if (!iov.iov_base)
			pt_buf_puts(t->out, "NULL");
		else
			pt_buf_printf(t->out, "%p", iov.iov_base);
		pt_buf_printf(t->out, ", iov_len=%zu}", iov.iov_len);
	}
	pt_buf_puts(t->out, v->cut ? ", ...]" : "]");
}

PRINTS(pt_put_iovec)
{
	put_buffers(t, v, v->arg, t->call->name && strstr(t->call->name, "read"));
}

static void put_inet(struct pt_text *t, const struct sockaddr_in *a)
{
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, &a->sin_addr, text, sizeof(text));
	pt_buf_printf(t->out, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")",
		      ntohs(a->sin_port), text);
}

static void put_inet6(struct pt_text *t, const struct sockaddr_in6 *a)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, &a->sin6_addr, text, sizeof(text));
	pt_buf_printf(t->out, ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), ",
		      ntohs(a->sin6_port), ntohl(a->sin6_flowinfo));
	pt_buf_printf(t->out, "inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=%u", text,
		      a->sin6_scope_id);
}

PRINTS(pt_put_sockaddr)
{
	union { struct sockaddr_storage all; struct sockaddr_un un; struct sockaddr_in in;
		struct sockaddr_in6 in6; struct sockaddr_nl nl; } a;
	const char *path;
	size_t len;

	COPY(a);
	if (v->len < sizeof(sa_family_t)) {
		pt_put_pointer(t, v);
		return;
	}
	pt_buf_puts(t->out, "{sa_family=");
	pt_text_constant(t->out, "af", a.all.ss_family);
	if (a.all.ss_family == AF_UNIX && v->len > sizeof(sa_family_t)) {
		path = a.un.sun_path;
		len = PT_MIN(v->len, sizeof(a.un)) - sizeof(sa_family_t);
		pt_buf_puts(t->out, *path ? ", sun_path=" : ", sun_path=@");
		pt_text_quoted(t->out, (const uint8_t *)path + !*path,
			       *path ? strnlen(path, len) : len - 1, false);
	} else if (a.all.ss_family == AF_INET && v->len >= sizeof(a.in)) {
		put_inet(t, &a.in);
	} else if (a.all.ss_family == AF_INET6 && v->len >= sizeof(a.in6)) {
		put_inet6(t, &a.in6);
	} else if (a.all.ss_family == AF_NETLINK && v->len >= sizeof(a.nl)) {
		pt_buf_printf(t->out, ", nl_pid=%d, nl_groups=%#08x", (int)a.nl.nl_pid,
			      a.nl.nl_groups);
	} else if (v->len > sizeof(sa_family_t)) {
		pt_buf_puts(t->out, ", sa_data=");
		pt_text_quoted(t->out, v->bytes + 2, PT_MIN(v->len - 2, (size_t)14), false);
	}
	pt_buf_putc(t->out, '}');
}

PRINTS(pt_put_message)
{
	enum { NAME, NAME_LEN, IOV, IOV_LEN, CONTROL, CONTROL_LEN, FLAGS, WORDS };
	bool written = t->call->name && strstr(t->call->name, "recv");
	int when = written ? PT_PIECE_AT_EXIT : 0;
	struct pt_value name = pt_value_of(pt_call_piece(t->call, PT_PIECE_NAME, when), v->arg),
			iov = pt_value_of(pt_call_piece(t->call, PT_PIECE_IOVEC, when), v->arg);
	uint64_t m[WORDS];

	copy_words(t, m, WORDS, v);
	pt_buf_puts(t->out, "{msg_name=");
	if (name.bytes)
		pt_put_sockaddr(t, &name);
	else
		pt_buf_puts(t->out, "NULL");
	pt_buf_printf(t->out, ", msg_namelen=%u, msg_iov=", (uint32_t)m[NAME_LEN]);
	if (iov.bytes)
		put_buffers(t, &iov, v->arg, written);
	else
		pt_buf_printf(t->out, "%p", (void *)(uintptr_t)m[IOV]);
	pt_buf_printf(t->out, ", msg_iovlen=%zu, msg_controllen=%zu, msg_flags=",
		      (size_t)m[IOV_LEN], (size_t)m[CONTROL_LEN]);
	pt_text_bits(t->out, "msg", (uint32_t)m[FLAGS]);
	pt_buf_putc(t->out, '}');
}

PRINTS(pt_put_epoll_event)
{
	struct epoll_event e;

	COPY(e);
	pt_buf_puts(t->out, "{events=");
	pt_text_bits(t->out, "epoll", e.events);
	pt_buf_printf(t->out, ", data={u32=%u, u64=%llu}}", e.data.u32,
		      (unsigned long long)e.data.u64);
}

/* The numbers of the bits that are set. */
PRINTS(pt_put_fd_set)
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
