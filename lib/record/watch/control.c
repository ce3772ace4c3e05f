#include "record/watch/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"

static const char ack_text[] = "ack\n";

/* fifo:CTL[,ACK] or fd:N[,M] as words; words[1] is NULL if it is not given. The caller frees
 * words[0], also after an error. */
static int control_split(const char *how, bool *fifo, char *words[2], struct pt_err *e)
{
	uint64_t fd;

	*fifo = !strncmp(how, "fifo:", 5);
	words[0] = words[1] = NULL;
	if (!*fifo && strncmp(how, "fd:", 3))
		return pt_err_set(e, "'%s': fifo:CTL[,ACK] or fd:N[,M] is meant", how);
	words[0] = words[1] = pt_strdup(strchr(how, ':') + 1);
	strsep(&words[1], ",");
	for (int i = 0; i < 2 && words[i]; i++) {
		if (*fifo && !*words[i])
			return pt_err_set(e, "'%s': the name of a FIFO is missing", how);
		if (!*fifo && pt_num_u64(words[i], 0, 1 << 20, &fd, e) < 0)
			return -1;
	}
	return 0;
}

int pt_control_check(const char *how, struct pt_err *e)
{
	char *words[2];
	bool fifo;
	int rc = control_split(how, &fifo, words, e);

	free(words[0]);
	return rc;
}

/* Opens both ends, so that reads never see an end and writes never a closed pipe. */
static int open_fifo(const char *path, struct pt_err *e)
{
	struct stat st;
	int fd = -1;

	if (stat(path, &st) < 0)
		return errno == ENOENT
			       ? pt_err_set(e, "%s: there is no such FIFO; mkfifo makes one", path)
			       : pt_err_sys(e, errno, "%s", path);
	if (S_ISFIFO(st.st_mode) && (fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
		return pt_err_sys(e, errno, "%s", path);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return pt_err_set(e, "%s: no FIFO (mkfifo makes one)", path);
}

/* Opens a pipe once more, as a FIFO, since the given descriptor may see an end and is shared with
 * others. Anything but a pipe is used as it is: by a duplicate. */
static int take_fd(int fd, struct pt_err *e)
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
	if (again < 0)
		again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return again < 0 ? pt_err_sys(e, errno, "descriptor %d", fd) : again;
}

int pt_control_open(struct pt_control *c, const char *how, struct pt_err *e)
{
	char *words[2];
	bool fifo;
	int rc = control_split(how, &fifo, words, e);

	*c = (struct pt_control){ .fd = -1, .ack_fd = -1, .say = c->say, .ctx = c->ctx };
	for (int i = 0; i < 2 && rc >= 0 && words[i]; i++) {
		rc = fifo ? open_fifo(words[i], e) : take_fd(atoi(words[i]), e);
		*(i ? &c->ack_fd : &c->fd) = rc;
	}
	free(words[0]);
	if (rc < 0)
		pt_control_close(c);
	return rc < 0 ? -1 : 0;
}

void pt_control_close(struct pt_control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->ack_fd >= 0)
		close(c->ack_fd);
	c->fd = c->ack_fd = -1;
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
		{ "rotate", PT_CONTROL_ROTATE, false },
		{ "snapshot", PT_CONTROL_SNAPSHOT, false },
	};
	size_t len = strcspn(line, " \t");
	const char *rest = line + len + strspn(line + len, " \t");

	*event = *rest ? rest : NULL;
	for (size_t i = 0; i < PT_NR(verbs); i++)
		if (strlen(verbs[i].word) == len && !strncmp(line, verbs[i].word, len) &&
		    (!*rest || verbs[i].takes_event))
			return verbs[i].verb;
	return PT_CONTROL_UNKNOWN;
}

/* One read only: a second one could block if the descriptor is shared. A NUL ends a line, too. */
static bool read_more(struct pt_control *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	ssize_t n;

	if (c->gone || poll(&p, 1, 0) <= 0 || !p.revents)
		return false;
	n = read(c->fd, c->text + c->len, sizeof(c->text) - c->len);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	c->gone = n <= 0;
	for (; n > 0; n--, c->len++)
		if (!c->text[c->len])
			c->text[c->len] = '\n';
	return !c->gone;
}

/* Takes the line that ends at `end`, without blanks at its ends. */
static void control_take_line(struct pt_control *c, const char *end)
{
	const char *from = c->text, *to = end;

	while (to > from && strchr(" \t\r", to[-1]))
		to--;
	while (from < to && strchr(" \t\r", *from))
		from++;
	snprintf(c->line, sizeof(c->line), "%.*s", (int)(to - from), from);
	c->len -= (size_t)(end + 1 - c->text);
	memmove(c->text, end + 1, c->len);
}

bool pt_control_next(struct pt_control *c, enum pt_control_verb *verb, const char **event)
{
	for (;;) {
		const char *end = memchr(c->text, '\n', c->len);

		if (!end && c->len == sizeof(c->text)) {
			c->too_long = true;
			c->len = 0;
		}
		if (!end && !read_more(c))
			return false;
		if (!end)
			continue;
		control_take_line(c, end);
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

/* A socket whose reader is gone must not kill by SIGPIPE; that of a pipe shows as POLLERR. */
void pt_control_ack(struct pt_control *c)
{
	struct pollfd p = { .fd = c->ack_fd, .events = POLLOUT };
	ssize_t n = -1;

	if (c->ack_fd < 0)
		return;
	if (poll(&p, 1, 0) == 1 && p.revents == POLLOUT) {
		n = send(c->ack_fd, ack_text, sizeof(ack_text), MSG_NOSIGNAL);
		if (n < 0 && errno == ENOTSOCK)
			n = write(c->ack_fd, ack_text, sizeof(ack_text));
	}
	if (n == sizeof(ack_text))
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
