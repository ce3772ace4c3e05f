#include "base/smallfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK_BYTES = 16 << 10 };

int pt_file_text_at(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), sys;
	ssize_t n;

	*text = '\0';
	if (fd < 0)
		return errno;
	n = read(fd, text, size - 1);
	sys = n < 0 ? errno : 0;
	close(fd);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	text[n > 0 ? n : 0] = '\0';
	return sys;
}

int pt_file_text(const char *path, char *text, size_t size)
{
	return pt_file_text_at(AT_FDCWD, path, text, size);
}

int64_t pt_file_number(const char *path, int64_t none)
{
	char text[32], *end;
	int64_t v;

	if (pt_file_text(path, text, sizeof(text)))
		return none;
	v = strtoll(text, &end, 10);
	return end == text ? none : v;
}

int pt_file_add(const char *path, size_t max_bytes, struct pt_buf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), sys;
	size_t from = b->len;
	ssize_t n;

	if (fd < 0)
		return errno;
	do {
		pt_buf_grow(b, BLOCK_BYTES);
		n = read(fd, b->data + b->len, BLOCK_BYTES);
		if (n > 0)
			b->len += (size_t)n;
	} while ((n > 0 && b->len - from < max_bytes) || (n < 0 && errno == EINTR));
	sys = n < 0 ? errno : 0;
	close(fd);
	if (sys)
		b->len = from;
	pt_buf_add(b, "", 0);		/* followed by a NUL */
	return sys;
}
