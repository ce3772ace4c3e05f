#include "record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"

static const char ack_text[] = "ack\n";


static int parse_fds(const char *text, int *fd, int *ack_fd, struct pt_err *e)
{
	const char *comma = strchr(text, ',');
	char first[16];
	uint64_t v;

	snprintf(first, sizeof(first), "%.*s",
		 (int)(comma ? PT_MIN(comma - text, (ptrdiff_t)sizeof(first) - 1)
			     : (ptrdiff_t)sizeof(first) - 1),
		 text);
	if (pt_num_u64(first, 0, 1 << 20, &v, e) < 0)
		return -1;
	*fd = (int)v;
	if (comma && pt_num_u64(comma + 1, 0, 1 << 20, &v, e) < 0)
		return -1;
	*ack_fd = comma ? (int)v : -1;
	return 0;
}

int pt_control_check(const char *how, struct pt_err *e)
{
	int fd, ack_fd;

	if (!strncmp(how, "fd:", 3))
		return parse_fds(how + 3, &fd, &ack_fd, e);
	if (strncmp(how, "fifo:", 5))
		return pt_err_set(e, "'%s': fifo:CTL[,ACK] or fd:N[,M] is meant", how);
	if (!how[5] || how[5] == ',' || how[strlen(how) - 1] == ',')
		return pt_err_set(e, "'%s': the name of a FIFO is missing", how);
	return 0;
}

/* Opens both ends, so that reads never see an end and writes never a closed pipe. */
static int open_fifo(const char *path, struct pt_err *e)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return errno == ENOENT
			       ? pt_err_set(e, "%s: there is no such FIFO; mkfifo makes one", path)
			       : pt_err_sys(e, errno, "%s", path);
	if (!S_ISFIFO(st.st_mode))
		return pt_err_set(e, "%s: no FIFO (mkfifo makes one)", path);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return pt_err_sys(e, errno, "%s", path);
	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode)) {
		close(fd);
		return pt_err_set(e, "%s: no FIFO (mkfifo makes one)", path);
	}
	return fd;
}

/* Opens a pipe once more, as a FIFO, since the given descriptor may see an end and is shared with
 * others. Anything but a pipe is used as it is. */
static int take_fd(int fd, bool *own, struct pt_err *e)
{
	struct stat st;
	char path[32];
	int again;

	if (fstat(fd, &st) < 0)
		return pt_err_set(e, "descriptor %d is not open", fd);
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return pt_err_set(e,
				  "descriptor %d is a file: a pipe, a FIFO or a socket is needed",
				  fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = S_ISFIFO(st.st_mode) ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
	*own = again >= 0;
	return again >= 0 ? again : fd;
}

static int open_fds(struct pt_control *c, const char *text, struct pt_err *e)
{
	int fd, ack_fd;

	if (parse_fds(text, &fd, &ack_fd, e) < 0)
		return -1;
	c->fd = take_fd(fd, &c->own_fd, e);
	if (c->fd < 0 || ack_fd < 0)
		return c->fd < 0 ? -1 : 0;
	c->ack_fd = take_fd(ack_fd, &c->own_ack, e);
	return c->ack_fd < 0 ? -1 : 0;
}

static int open_fifos(struct pt_control *c, const char *text, struct pt_err *e)
{
	const char *comma = strchr(text, ',');
	char *path = pt_strndup(text, comma ? (size_t)(comma - text) : strlen(text));

	c->fd = open_fifo(path, e);
	free(path);
	c->own_fd = c->own_ack = true;
	if (c->fd < 0 || !comma)
		return c->fd < 0 ? -1 : 0;
	c->ack_fd = open_fifo(comma + 1, e);
	return c->ack_fd < 0 ? -1 : 0;
}

int pt_control_open(struct pt_control *c, const char *how, struct pt_err *e)
{
	int rc;

	*c = (struct pt_control){ .fd = -1, .ack_fd = -1, .say = c->say, .ctx = c->ctx };
	rc = pt_control_check(how, e);
	if (rc == 0)
		rc = !strncmp(how, "fd:", 3) ? open_fds(c, how + 3, e) : open_fifos(c, how + 5, e);
	if (rc < 0)
		pt_control_close(c);
	return rc;
}

void pt_control_close(struct pt_control *c)
{
	if (c->fd >= 0 && c->own_fd)
		close(c->fd);
	if (c->ack_fd >= 0 && c->own_ack)
		close(c->ack_fd);
	c->fd = c->ack_fd = -1;
}


static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Takes a whole line, without blanks at its ends. A NUL ends a line, too. A line that is too long
 * is cut, and is no command. */
static bool take_line(struct pt_control *c)
{
	const char *from = c->text + c->taken;
	size_t len = 0, nr = c->len - c->taken;

	while (len < nr && from[len] != '\n' && from[len])
		len++;
	if (len == nr) {
		memmove(c->text, from, nr);
		c->taken = 0;
		c->too_long |= nr == sizeof(c->text);
		c->len = nr == sizeof(c->text) ? 0 : nr;
		return false;
	}
	c->taken += len + 1;
	while (len && is_blank(from[len - 1]))
		len--;
	while (len && is_blank(*from))
		from++, len--;
	memcpy(c->line, from, len);
	c->line[len] = '\0';
	return true;
}

static enum pt_control_verb verb_of(const char *line, const char **event)
{
	static const struct {
		const char *word;
		enum pt_control_verb verb;
		bool takes_event;
	} verbs[] = {
		{ "enable", PT_CONTROL_ENABLE, true },
		{ "disable", PT_CONTROL_DISABLE, true },
		{ "ping", PT_CONTROL_PING, false },
		{ "stop", PT_CONTROL_STOP, false },
	};
	size_t len = strcspn(line, " \t"), i;
	const char *rest = line + len + strspn(line + len, " \t");

	*event = *rest ? rest : NULL;
	for (i = 0; i < PT_NR(verbs); i++)
		if (strlen(verbs[i].word) == len && !strncmp(line, verbs[i].word, len) &&
		    (!*rest || verbs[i].takes_event))
			return verbs[i].verb;
	return PT_CONTROL_UNKNOWN;
}

/* One read only: a second one could block if the descriptor is shared. */
static bool read_more(struct pt_control *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	ssize_t n;

	if (c->gone || poll(&p, 1, 0) <= 0 || !p.revents)
		return false;
	n = read(c->fd, c->text + c->len, sizeof(c->text) - c->len);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		c->gone = true;
		return false;
	}
	c->len += (size_t)n;
	return true;
}

bool pt_control_next(struct pt_control *c, enum pt_control_verb *verb, const char **event)
{
	for (;;) {
		while (!take_line(c))
			if (!read_more(c))
				return false;
		*event = NULL;
		*verb = c->too_long ? PT_CONTROL_UNKNOWN : verb_of(c->line, event);
		if (c->too_long)
			snprintf(c->line, sizeof(c->line), "(a line of over %d characters)",
				 PT_CONTROL_LINE);
		c->too_long = false;
		if (*c->line)
			return true;
	}
}

/* Writes without being killed by SIGPIPE. */
static ssize_t write_quietly(int fd, const void *p, size_t len)
{
	static const struct timespec at_once;
	sigset_t pipe, old, pending;
	bool was_pending;
	ssize_t n;
	int sys;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &old);
	n = write(fd, p, len);
	sys = errno;
	if (n < 0 && sys == EPIPE && !was_pending)
		sigtimedwait(&pipe, NULL, &at_once);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = sys;
	return n;
}

void pt_control_ack(struct pt_control *c)
{
	struct pollfd p = { .fd = c->ack_fd, .events = POLLOUT };

	if (c->ack_fd < 0)
		return;
	if (poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) &&
	    write_quietly(c->ack_fd, ack_text, sizeof(ack_text)) == sizeof(ack_text))
		return;
	if (!c->ack_failed && c->say)
		c->say(c->ctx, "an answer was left out: nobody reads them");
	c->ack_failed = true;
}

void pt_control_refuse(struct pt_control *c, const char *message)
{
	char text[2 * PT_CONTROL_LINE];

	snprintf(text, sizeof(text), "'%s': %.200s", c->line, message);
	if (c->say)
		c->say(c->ctx, text);
}
