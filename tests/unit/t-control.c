/* Commands from outside: lines in any pieces, what is none, answers that nobody reads. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/watch/control.h"

static struct pt_err e;
static char said[1024];

static void say(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(said, sizeof(said), "%s", text);
}

static int put(int fd, const void *p, size_t len)
{
	return write(fd, p, len) == (ssize_t)len;
}

#define PUT(fd, text) CHECK(put(fd, text, sizeof(text) - 1))

static void next_is(struct pt_control *c, enum pt_control_verb want, const char *want_event)
{
	enum pt_control_verb verb = PT_CONTROL_UNKNOWN;
	const char *event = NULL;

	CHECK(pt_control_next(c, &verb, &event));
	CHECK_INT(verb, want);
	if (want_event)
		CHECK_STR(event, want_event);
	else
		CHECK(!event);
}

static void none_next(struct pt_control *c)
{
	enum pt_control_verb verb;
	const char *event;

	CHECK(!pt_control_next(c, &verb, &event));
}

TEST(words)
{
	static const char *const good[] = { "fd:3", "fd:3,4", "fd:0,1", "fifo:a", "fifo:a,b", "fifo:/x/y,z" };
	static const char *const bad[] = { "", "fd:", "fd:,4", "fd:3,", "fd:-1", "fd:3,4,5", "fd:99999999999999999999", "fifo:", "fifo:,b", "fifo:a,", "a", "pipe:a", "fd", "fd:3x" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		CHECK_INT(pt_control_check(good[i], &e), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK_INT(pt_control_check(bad[i], &e), -1);
}

static void pipe_control(struct pt_control *c, int p[2])
{
	char how[32];

	CHECK_INT(pipe(p), 0);
	snprintf(how, sizeof(how), "fd:%d", p[0]);
	*c = (struct pt_control){ .say = say };
	CHECK_INT(pt_control_open(c, how, &e), 0);
}

TEST(lines_in_any_pieces)
{
	struct pt_control c;
	int p[2];

	pipe_control(&c, p);
	none_next(&c);
	PUT(p[1], "enable\ndisable\r\n\n  \nping\n  stop  \nena");
	next_is(&c, PT_CONTROL_ENABLE, NULL);
	next_is(&c, PT_CONTROL_DISABLE, NULL);
	next_is(&c, PT_CONTROL_PING, NULL);
	next_is(&c, PT_CONTROL_STOP, NULL);
	none_next(&c);
	PUT(p[1], "ble \t sched:sched_switch \ndisable page-faults\0enable\0\n");
	next_is(&c, PT_CONTROL_ENABLE, "sched:sched_switch");
	next_is(&c, PT_CONTROL_DISABLE, "page-faults");
	next_is(&c, PT_CONTROL_ENABLE, NULL);
	none_next(&c);
	PUT(p[1], "rotate\nsnapshot\nEnable\nenabled\nping x\nstop it\nsnapshots\nenable\n");
	next_is(&c, PT_CONTROL_ROTATE, NULL);
	next_is(&c, PT_CONTROL_SNAPSHOT, NULL);
	for (int i = 0; i < 4; i++)
		next_is(&c, PT_CONTROL_UNKNOWN, i == 2 ? "x" : i == 3 ? "it" : NULL);
	next_is(&c, PT_CONTROL_UNKNOWN, NULL);
	pt_control_refuse(&c, "no");
	CHECK_STR(said, "'snapshots': no");
	next_is(&c, PT_CONTROL_ENABLE, NULL);
	/* Who writes goes away and comes back. */
	close(p[1]);
	none_next(&c);
	CHECK(!c.gone);
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p[0]);
	p[1] = open(path, O_WRONLY);
	CHECK(p[1] >= 0);
	PUT(p[1], "ping\n");
	next_is(&c, PT_CONTROL_PING, NULL);
	close(p[0]);
	close(p[1]);
	pt_control_close(&c);
}

TEST(lines_without_an_end)
{
	static char much[5 * PT_CONTROL_LINE];
	struct pt_control c;
	int p[2];

	pipe_control(&c, p);
	for (size_t extra = 0; extra < 4 * PT_CONTROL_LINE; extra += 61) {
		memset(much, 'x', PT_CONTROL_LINE + extra);
		CHECK(put(p[1], much, PT_CONTROL_LINE + extra));
		none_next(&c);
		PUT(p[1], "ping\nstop\n");	/* the end of that line, and a command */
		next_is(&c, PT_CONTROL_UNKNOWN, NULL);
		next_is(&c, PT_CONTROL_STOP, NULL);
	}
	/* As long as there is room for. */
	memset(much, ' ', PT_CONTROL_LINE);
	memcpy(much, "ping", 4);
	much[PT_CONTROL_LINE - 1] = '\n';
	CHECK(put(p[1], much, PT_CONTROL_LINE));
	next_is(&c, PT_CONTROL_PING, NULL);
	none_next(&c);
	close(p[0]);
	close(p[1]);
	pt_control_close(&c);
}

TEST(answers)
{
	char how[64], got[16] = "";
	struct pt_control c = { .say = say };
	int p[2], q[2], s[2];

	CHECK_INT(pipe(p), 0);
	CHECK_INT(pipe(q), 0);
	snprintf(how, sizeof(how), "fd:%d,%d", p[0], q[1]);
	CHECK_INT(pt_control_open(&c, how, &e), 0);
	pt_control_ack(&c);
	CHECK_INT(read(q[0], got, sizeof(got)), 5);
	CHECK(!memcmp(got, "ack\n", 5));
	/* Nobody reads: neither killed nor stopped, and said once. */
	close(q[0]);
	*said = '\0';
	for (int i = 0; i < 70000; i++)
		pt_control_ack(&c);
	CHECK(*said);
	*said = '\0';
	pt_control_ack(&c);
	CHECK(!*said);
	close(q[1]);
	pt_control_close(&c);

	/* A socket whose other end is closed ends what comes, and a write to it would kill. */
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
	snprintf(how, sizeof(how), "fd:%d,%d", s[0], s[0]);
	CHECK_INT(pt_control_open(&c, how, &e), 0);
	PUT(s[1], "ping\n");
	next_is(&c, PT_CONTROL_PING, NULL);
	PUT(s[1], "stop\n");
	close(s[1]);
	next_is(&c, PT_CONTROL_STOP, NULL);
	pt_control_ack(&c);
	CHECK(*said);
	none_next(&c);
	CHECK(c.gone);
	pt_control_close(&c);
	CHECK(fcntl(s[0], F_GETFD) >= 0);	/* it was given: it stays */
	close(s[0]);
	close(p[0]);
	close(p[1]);
}

TEST(what_is_no_fifo)
{
	struct pt_control c = { .say = say };
	char path[] = "control-XXXXXX", how[64];
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	CHECK_INT(pt_control_open(&c, "fifo:not/there", &e), -1);
	CHECK_HAS(e.msg, "no such FIFO");
	snprintf(how, sizeof(how), "fifo:%s", path);
	CHECK_INT(pt_control_open(&c, how, &e), -1);
	CHECK_HAS(e.msg, "no FIFO");
	snprintf(how, sizeof(how), "fd:%d", fd);
	CHECK_INT(pt_control_open(&c, how, &e), -1);
	CHECK_INT(pt_control_open(&c, "fd:777", &e), -1);
	CHECK_HAS(e.msg, "not open");
	CHECK_INT(c.fd, -1);
	unlink(path);
	CHECK_INT(mkfifo(path, 0600), 0);
	snprintf(how, sizeof(how), "fifo:%s,not/there", path);
	CHECK_INT(pt_control_open(&c, how, &e), -1);
	CHECK_INT(c.fd, -1);
	unlink(path);
	close(fd);
}
