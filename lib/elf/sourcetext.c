#include "elf/sourcetext.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mapfile.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/untrusted.h"

enum { MAX_LINES = 1 << 24 };

struct pt_source_text {
	struct pt_mapfile map;
	char *path;
	const char **lines;		/* the start of each; one more: the end */
	size_t nr, cap;
	int64_t changed_ns;
};

/* Takes the path. */
static bool try(struct pt_source_text *s, struct pt_root *root, unsigned flags, char *path)
{
	int fd = pt_untrusted_open(root, path, flags, NULL);
	struct stat st;

	if (fd < 0 || pt_mapfile_open_fd(&s->map, fd, path, NULL) < 0) {
		free(path);
		return false;
	}
	if (!fstat(s->map.fd, &st))
		s->changed_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	s->path = path;
	return true;
}

static bool below(struct pt_source_text *s, struct pt_root *root, unsigned flags, const char *dir,
		  const char *file)
{
	const char *rest;

	for (rest = file; rest; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		if (try(s, root, flags, pt_asprintf("%s/%s", dir, rest)))
			return true;
	}
	return false;
}

static bool look(struct pt_source_text *s, const struct pt_object *o, const char *source_dir,
		 const char *file)
{
	struct pt_root *root = o ? o->root : NULL;
	const char *path = o ? o->inside : NULL,
		   *slash = path ? strrchr(path, '/') : NULL;
	char *dir;
	bool found;

	/* A relative name is never looked for in the working directory. */
	if ((source_dir && below(s, NULL, PT_UNTRUSTED_USER, source_dir, file)) ||
	    try(s, root, 0, pt_strdup(file)))
		return true;
	if (!slash)
		return false;
	dir = pt_strndup(path, (size_t)(slash - path));
	found = below(s, root, 0, dir, file);
	free(dir);
	return found;
}

struct pt_source_text *pt_source_text_open(const struct pt_object *o, const char *source_dir,
					   const char *file)
{
	struct pt_source_text *s = pt_alloc(sizeof(*s));
	const char *at, *end;

	if (!look(s, o, source_dir, file)) {
		free(s);
		return NULL;
	}
	at = (const char *)s->map.data;
	end = at + s->map.len_bytes;
	while (at < end && s->nr < MAX_LINES) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		PT_GROW(s->lines, s->nr, s->cap);
		s->lines[s->nr++] = at;
		at = nl ? nl + 1 : end;
	}
	PT_GROW(s->lines, s->nr, s->cap);
	s->lines[s->nr] = at;
	return s;
}

void pt_source_text_free(struct pt_source_text *s)
{
	if (!s)
		return;
	pt_mapfile_close(&s->map);
	free(s->path);
	free(s->lines);
	free(s);
}

const char *pt_source_text_path(const struct pt_source_text *s)
{
	return s->path;
}

bool pt_source_text_newer(const struct pt_source_text *s, const struct pt_object *o)
{
	return o && o->changed_ns && s->changed_ns > o->changed_ns;
}

const char *pt_source_text_line(const struct pt_source_text *s, uint32_t nr, size_t *len)
{
	const char *line;

	if (!nr || nr > s->nr)
		return NULL;
	line = s->lines[nr - 1];
	*len = (size_t)(s->lines[nr] - line);
	while (*len && (line[*len - 1] == '\n' || line[*len - 1] == '\r'))
		--*len;
	return line;
}

static void without_blanks(struct pt_buf *b, const char *s, size_t len)
{
	size_t i;

	pt_buf_clear(b);
	for (i = 0; i < len && s[i]; i++)
		if (!isspace((unsigned char)s[i]))
			pt_buf_putc(b, s[i]);
}

bool pt_source_text_agrees(const struct pt_source_text *s, uint32_t nr, const char *pattern)
{
	struct pt_buf line = PT_BUF_INIT, want = PT_BUF_INIT;
	const char *text;
	size_t len;
	bool is;

	text = pt_source_text_line(s, nr, &len);
	if (!text)
		return false;
	without_blanks(&line, text, PT_MIN(len, (size_t)4096));
	without_blanks(&want, pattern, strlen(pattern));
	is = pt_text_glob(pt_buf_str(&want), pt_buf_str(&line));
	pt_buf_deinit(&line);
	pt_buf_deinit(&want);
	return is;
}

void pt_source_text_add(struct pt_buf *b, const char *line, size_t len, const char *tab)
{
	const char *at;

	while ((at = len ? memchr(line, '\t', len) : NULL)) {
		pt_text_plain(b, line, (size_t)(at - line));
		pt_buf_puts(b, tab);
		len -= (size_t)(at + 1 - line);
		line = at + 1;
	}
	pt_text_plain(b, line, len);
}
