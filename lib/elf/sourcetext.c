#include "elf/sourcetext.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mapfile.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/untrusted.h"

enum { MAX_BYTES = 16 << 20, LINES_A_MARK = 16 };

struct pt_source_text {
	struct pt_mapfile map;
	char *path;
	uint32_t *marks;		/* where each LINES_A_MARK-th line begins */
	size_t nr_marks, cap;
	size_t nr;			/* lines */
	int64_t changed_ns;
};

/* Takes the path. */
static bool sourcetext_try(struct pt_source_text *s, struct pt_root *root, unsigned flags,
			   char *path)
{
	int fd = pt_untrusted_open(root, path, flags, NULL);
	struct stat st;

	if (fd < 0 || pt_mapfile_open_fd(&s->map, fd, path, NULL) < 0) {
		free(path);
		return false;
	}
	if (s->map.len_bytes > MAX_BYTES) {	/* no source: debug information may name any file */
		pt_mapfile_close(&s->map);
		free(path);
		return false;
	}
	if (!fstat(s->map.fd, &st))
		s->changed_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	s->path = path;
	return true;
}

static bool sourcetext_below(struct pt_source_text *s, struct pt_root *root, unsigned flags,
			     const char *dir, const char *file)
{
	const char *rest;

	for (rest = file; rest; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		if (sourcetext_try(s, root, flags, pt_asprintf("%s/%s", dir, rest)))
			return true;
	}
	return false;
}

static bool sourcetext_look(struct pt_source_text *s, const struct pt_object *o,
			    const char *source_dir, const char *file)
{
	struct pt_root *root = o ? o->root : NULL;
	const char *path = o ? o->inside : NULL,
		   *slash = path ? strrchr(path, '/') : NULL;
	char *dir;
	bool found;

	/* A relative name is never looked for in the working directory. */
	if ((source_dir && sourcetext_below(s, NULL, PT_UNTRUSTED_USER, source_dir, file)) ||
	    sourcetext_try(s, root, 0, pt_strdup(file)))
		return true;
	if (!slash)
		return false;
	dir = pt_strndup(path, (size_t)(slash - path));
	found = sourcetext_below(s, root, 0, dir, file);
	free(dir);
	return found;
}

static uint32_t sourcetext_next_line(const struct pt_source_text *s, uint32_t at)
{
	const uint8_t *from = s->map.data + at, *nl = memchr(from, '\n', s->map.len_bytes - at);

	return nl ? (uint32_t)(nl + 1 - s->map.data) : (uint32_t)s->map.len_bytes;
}

struct pt_source_text *pt_source_text_open(struct pt_object *o, const char *source_dir,
					   const char *file)
{
	struct pt_source_text *s = pt_alloc(sizeof(*s));

	if (!sourcetext_look(s, o, source_dir, file)) {
		free(s);
		return NULL;
	}
	if (o && !pt_budget_work(&o->budget, s->map.len_bytes)) {
		pt_source_text_free(s);
		return NULL;
	}
	for (uint32_t at = 0; at < s->map.len_bytes; at = sourcetext_next_line(s, at), s->nr++) {
		if (s->nr % LINES_A_MARK)
			continue;
		PT_GROW(s->marks, s->nr_marks, s->cap);
		s->marks[s->nr_marks++] = at;
	}
	return s;
}

void pt_source_text_free(struct pt_source_text *s)
{
	if (!s)
		return;
	pt_mapfile_close(&s->map);
	free(s->path);
	free(s->marks);
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
	uint32_t at;

	if (!nr || nr > s->nr)
		return NULL;
	at = s->marks[(nr - 1) / LINES_A_MARK];
	for (uint32_t i = (nr - 1) % LINES_A_MARK; i; i--)
		at = sourcetext_next_line(s, at);
	line = (const char *)s->map.data + at;
	*len = sourcetext_next_line(s, at) - at;
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
