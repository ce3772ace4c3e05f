/* Types of files, strings, buffers and sockets: as strace writes them. */
#include <arpa/inet.h>
#include <fcntl.h>
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
#include <termios.h>

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
		pt_flags_bits(b, pt_flags_table("modebit"), mode & 07000);
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

PRINTS(pt_put_stat)
{
	struct stat st;

	COPY(st);
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
	pt_flags_bits(t->out, pt_flags_table("statxmask"), st.stx_mask);
	pt_buf_puts(t->out, ", stx_attributes=");
	pt_buf_printf(t->out, st.stx_attributes ? "%#llx" : "0",
		      (unsigned long long)st.stx_attributes);
	pt_buf_puts(t->out, ", stx_mode=");
	put_file_mode(t->out, st.stx_mode);
	pt_buf_puts(t->out, is_device(st.stx_mode) ? ", stx_rdev=" : ", stx_size=");
	put_stat_tail(t->out, st.stx_mode, st.stx_size, st.stx_rdev_major, st.stx_rdev_minor);
}

/* What an argument is that depends on another one: ioctl, fcntl, prctl. "": there is none. */
static const struct {
	const char *type;
	int selector;
	uint64_t value;
	const char *is;
} choices[] = {
	{ "fcntlarg", 1, F_GETFD, "" }, { "fcntlarg", 1, F_GETFL, "" },
	{ "fcntlarg", 1, F_GETOWN, "" }, { "fcntlarg", 1, F_GETPIPE_SZ, "" },
	{ "fcntlarg", 1, F_GETSIG, "" }, { "fcntlarg", 1, F_GET_SEALS, "" },
	{ "fcntlarg", 1, F_GETLEASE, "" }, { "fcntlarg", 1, F_SETFD, "|fdflag" },
	{ "fcntlarg", 1, F_SETFL, "openflags" }, { "fcntlarg", 1, F_DUPFD, "d" },
	{ "fcntlarg", 1, F_DUPFD_CLOEXEC, "d" }, { "fcntlarg", 1, F_SETOWN, "d" },
	{ "fcntlarg", 1, F_SETPIPE_SZ, "lu" }, { "fcntlarg", 1, F_SETSIG, "sig" },
	{ "fcntlarg", 1, F_GETLK, "<flockpid" }, { "fcntlarg", 1, F_SETLK, ">flock" },
	{ "fcntlarg", 1, F_SETLKW, ">flock" }, { "fcntlarg", 1, F_OFD_GETLK, "<flockpid" },
	{ "fcntlarg", 1, F_OFD_SETLK, ">flock" }, { "fcntlarg", 1, F_OFD_SETLKW, ">flock" },
	{ "ioctlarg", 1, FIONREAD, "<d" }, { "ioctlarg", 1, FIONBIO, ">d" },
	{ "ioctlarg", 1, TIOCGPGRP, "<d" }, { "ioctlarg", 1, TIOCSPGRP, ">d" },
	{ "ioctlarg", 1, TIOCGWINSZ, "<winsize" }, { "ioctlarg", 1, TIOCSWINSZ, ">winsize" },
	{ "ioctlarg", 1, FIOCLEX, "" }, { "ioctlarg", 1, FIONCLEX, "" },
	{ "prctlarg", 0, PR_SET_NAME, ">str" }, { "prctlarg", 0, PR_GET_NAME, "<str" },
	{ "prctlarg", 0, PR_SET_PDEATHSIG, "sig" }, { "prctlarg", 0, PR_GET_DUMPABLE, "" },
	{ "prctlarg", 0, PR_CAPBSET_READ, "#capability" }, { "prctlarg", 0, PR_GET_KEEPCAPS, "" },
	{ "prctlarg", 0, PR_GET_NO_NEW_PRIVS, "" }, { "prctlarg", 0, PR_GET_SECCOMP, "" },
	{ "prctlarg", 0, PR_GET_TIMERSLACK, "" }, { "prctlarg", 0, PR_SET_DUMPABLE, "#dumpable" },
};

static void put_choice(struct pt_text *t, const struct pt_value *v, const char *is)
{
	bool written = *is == '<';
	const struct pt_piece *p = pt_call_piece(t->call, v->arg, written ? PT_PIECE_AT_EXIT : 0);
	const struct pt_type *type;
	struct pt_value value = *v;

	if (*is == '|' || *is == '#') {
		const struct pt_flag_table *table = pt_flags_table(is + 1);

		if (*is == '|')
			pt_flags_bits(t->out, table, (uint32_t)v->number);
		else
			pt_flags_constant(t->out, table, (uint32_t)v->number);
		return;
	}
	if (*is != '<' && *is != '>') {
		type = pt_type_find(is, strlen(is));
		pt_text_value(t, type, v);
		return;
	}
	if (!p || (written && t->call->ret < 0)) {
		pt_put_pointer(t, v);
		return;
	}
	type = pt_type_find(is + 1, strlen(is + 1));
	value.bytes = (const uint8_t *)(p + 1);
	value.len = PT_MIN(p->len, type->number || type->members ? type->size : p->len);
	if (type->number)
		pt_text_array(t, type, &value);
	else
		pt_text_value(t, type, &value);
}

static bool put_chosen(struct pt_text *t, const struct pt_value *v, const char *type)
{
	for (size_t i = 0; i < PT_NR(choices); i++)
		if (!strcmp(choices[i].type, type) &&
		    choices[i].value == (uint32_t)t->call->args[choices[i].selector]) {
			if (*choices[i].is)
				put_choice(t, v, choices[i].is);
			return true;
		}
	return false;
}

PRINTS(pt_put_fcntl_argument)
{
	if (!put_chosen(t, v, "fcntlarg"))
		pt_put_hex_long(t, v);
}

PRINTS(pt_put_ioctl_argument)
{
	if (!put_chosen(t, v, "ioctlarg"))
		pt_put_pointer(t, v);
}

PRINTS(pt_put_prctl_argument)
{
	if (!put_chosen(t, v, "prctlarg"))
		pt_put_hex_long(t, v);
}

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

/* The buffers of an iovec, whose bytes are the pieces of `item`; what the call wrote ends with its
 * result. */
static void put_buffers(struct pt_text *t, const struct pt_value *v, int item, bool written)
{
	size_t left = written && t->call->ret > 0 ? (size_t)t->call->ret : SIZE_MAX;

	pt_buf_putc(t->out, '[');
	for (uint32_t i = 0; (i + 1) * sizeof(struct iovec) <= v->len; i++) {
		struct iovec iov;
		const struct pt_piece *p = pt_call_element(t->call, item, i);
		size_t have;

		memcpy(&iov, v->bytes + i * sizeof(iov), sizeof(iov));
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

PRINTS(pt_put_sockaddr)
{
	union { struct sockaddr_storage all; struct sockaddr_un un; struct sockaddr_in in;
		struct sockaddr_in6 in6; } a;
	const char *path;
	size_t len;

	COPY(a);
	if (v->len < sizeof(sa_family_t)) {
		pt_put_pointer(t, v);
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

PRINTS(pt_put_message)
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

		pt_put_sockaddr(t, &n);
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

PRINTS(pt_put_epoll_event)
{
	struct epoll_event e;

	COPY(e);
	pt_buf_puts(t->out, "{events=");
	pt_flags_bits(t->out, pt_flags_table("epoll"), e.events);
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
