#include "syscall/flags.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/membarrier.h>
#include <linux/memfd.h>
#include <linux/netlink.h>
#include <linux/rseq.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#if __has_include(<asm/prctl.h>)	/* of x86 */
#include <asm/prctl.h>
#endif

#include "base/mem.h"

struct pt_flag_table {
	const char *name;
	const struct pt_flag *rows;
	size_t nr;
};
#define TABLE(name_) { #name_, flags_##name_, PT_NR(flags_##name_) },
#include "flags.def.h"

const struct pt_flag_table *pt_flags_table(const char *name)
{
	for (size_t i = 0; i < PT_NR(tables); i++)
		if (!strcmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

const char *pt_flags_name(const struct pt_flag_table *t, uint64_t value)
{
	for (size_t i = 0; i < t->nr; i++) {
		uint64_t row = t->rows[i].value;

		/* a negative int is passed as its 32 bits */
		if (row == value || ((int64_t)row < 0 && (uint32_t)row == value))
			return t->rows[i].name;
	}
	return NULL;
}

/* As the first name begins: "O_???". */
static void add_unknown(struct pt_buf *b, const struct pt_flag_table *t)
{
	const char *name = t->nr ? t->rows[0].name : "", *end = strchr(name, '_');

	pt_buf_printf(b, " /* %.*s_??? */", end ? (int)(end - name) : 0, name);
}

void pt_flags_constant(struct pt_buf *b, const struct pt_flag_table *t, uint64_t value)
{
	const char *name = pt_flags_name(t, value);

	if (name) {
		pt_buf_puts(b, name);
		return;
	}
	pt_buf_printf(b, "%#llx", (unsigned long long)value);
	add_unknown(b, t);
}

void pt_flags_bits(struct pt_buf *b, const struct pt_flag_table *t, uint64_t value)
{
	size_t from = b->len;

	for (size_t i = 0; i < t->nr; i++) {
		uint64_t bits = t->rows[i].value;

		if (!bits || (value & bits) != bits)
			continue;
		if (b->len > from)
			pt_buf_putc(b, '|');
		pt_buf_puts(b, t->rows[i].name);
		value &= ~bits;
	}
	if (b->len > from && !value)
		return;
	if (b->len > from)
		pt_buf_putc(b, '|');
	else if (value) {
		pt_buf_printf(b, "%#llx", (unsigned long long)value);
		add_unknown(b, t);
		return;
	}
	if (value)
		pt_buf_printf(b, "%#llx", (unsigned long long)value);
	else
		pt_buf_putc(b, '0');
}
