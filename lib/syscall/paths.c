#include "syscall/paths.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>

#include "syscall/text.h"

enum { NAMES = 40 };

/* In no header of the system: the kernel's net/socket.c, linux/magic.h since 6.9. */
enum { SOCKETS = 0x534F434B, PIDS = 0x50494446 };

static void paths_want(struct pt_plan *plan, size_t *nr, int kind, int arg)
{
	if (*nr == PT_FILES)
		return;
	plan->files[(*nr)++] = (struct pt_file_fetch){ .kind = (uint8_t)kind,
						       .at = (uint8_t)pt_call_arg_at(arg) };
	plan->reads = 1;
}

void pt_paths_plan(const struct pt_spec *s, struct pt_plan *plan)
{
	size_t nr = 1;

	if (pt_spec_returns_fd(s)) {
		plan->files[0].kind = PT_FILE_RESULT;
		plan->reads = 1;
	}
	for (int i = 0; i < s->nr; i++) {
		const struct pt_type *type = s->args[i].type;

		if (!type)
			continue;
		if (strcmp(type->name, "fd") && strcmp(type->name, "dirfd"))
			continue;
		if (s->args[i].direction == '<') {	/* a pair */
			paths_want(plan, &nr, PT_FILE_FIRST, i);
			paths_want(plan, &nr, PT_FILE_SECOND, i);
		} else {
			paths_want(plan, &nr, PT_FILE_ARG, i);
		}
	}
}

/* The facts of the next descriptor behind *item, which is that of the pieces with its names. */
static bool paths_next_file(const struct pt_call *c, int *item, struct pt_piece_file *file)
{
	while (++*item < PT_PIECE_FILE + 2 * PT_FILES) {
		const struct pt_piece *p = pt_call_element(c, *item, 0);

		if (!p || p->len < sizeof(*file))
			continue;
		memcpy(file, p + 1, sizeof(*file));
		return true;
	}
	return false;
}

/* What was read at the exit of the call begins with its result; a pair of descriptors, an argument,
 * is behind it. */
static bool paths_find(const struct pt_call *c, int fd, bool result, struct pt_piece_file *file,
		       int *item)
{
	*item = PT_PIECE_FILE - 1;
	while (paths_next_file(c, item, file))
		if (file->fd == fd && (*item == PT_PIECE_FILE + PT_FILES) == result)
			return true;
	return false;
}

static void paths_put_name(struct pt_buf *b, const struct pt_piece *p)
{
	size_t len = strnlen((const char *)(p + 1), p->len);

	pt_buf_add(b, (const char *)(p + 1), len);
}

/* Names of files that are in no directory: the kernel's own file systems. */
static bool put_nameless(struct pt_buf *b, const struct pt_piece_file *file,
			 const struct pt_piece *name)
{
	switch (file->magic) {
	case SOCKETS:
		pt_buf_printf(b, "socket:[%llu]", (unsigned long long)file->ino);
		return true;
	case PIPEFS_MAGIC:
		pt_buf_printf(b, "pipe:[%llu]", (unsigned long long)file->ino);
		return true;
	case ANON_INODE_FS_MAGIC:
		pt_buf_puts(b, "anon_inode:");
		paths_put_name(b, name);
		return true;
	case PIDS:
		pt_buf_puts(b, "anon_inode:[pidfd]");
		return true;
	case NSFS_MAGIC:
		pt_buf_printf(b, "ns:[%llu]", (unsigned long long)file->ino);
		return true;
	default:
		return false;
	}
}

static void put_path(struct pt_buf *b, const struct pt_call *c, const struct pt_piece_file *file,
		     int item)
{
	const struct pt_piece *names[NAMES], *p;
	uint32_t nr = 0;
	size_t from = b->len;

	while (nr < NAMES && (p = pt_call_element(c, item, nr + 1)))
		names[nr++] = p;
	if (nr && put_nameless(b, file, names[0]))
		return;
	for (uint32_t i = nr; i--; ) {
		if (names[i]->flags & PT_PIECE_ROOT && (i || nr > 1))
			continue;
		if (nr == 1 && !strcmp((const char *)(names[i] + 1), "/"))
			continue;
		pt_buf_putc(b, '/');
		paths_put_name(b, names[i]);
	}
	if (b->len == from)
		pt_buf_putc(b, '/');
}

/* As strace: octal numbers, and what would end the path. */
static void put_escaped(struct pt_buf *b, const char *s, size_t len)
{
	struct pt_buf quoted = PT_BUF_INIT;

	pt_text_quoted(&quoted, (const uint8_t *)s, len, false);
	for (size_t i = 1; i + 1 < quoted.len; i++) {
		if (quoted.data[i] == '<' || quoted.data[i] == '>')
			pt_buf_printf(b, "\\%o", quoted.data[i]);
		else
			pt_buf_putc(b, quoted.data[i]);
	}
	pt_buf_deinit(&quoted);
}

void pt_paths_add(struct pt_buf *b, const struct pt_call *c, int fd, bool result, bool devices)
{
	struct pt_piece_file file;
	struct pt_buf path = PT_BUF_INIT;
	uint32_t type;
	int item;

	if (!paths_find(c, fd, result, &file, &item))
		return;
	put_path(&path, c, &file, item);
	pt_buf_putc(b, '<');
	put_escaped(b, path.data, path.len);
	type = file.mode & S_IFMT;
	if (devices && (type == S_IFCHR || type == S_IFBLK))
		pt_buf_printf(b, "<%s %u:%u>", type == S_IFCHR ? "char" : "block", file.dev >> 20,
			      file.dev & 0xfffff);
	pt_buf_putc(b, '>');
	if (!file.hashed && *path.data == '/' && path.len > 1)
		pt_buf_puts(b, "(deleted)");
	pt_buf_deinit(&path);
}

static bool is_path(const struct pt_call *c, const struct pt_piece_file *file, int item,
		    const char *path)
{
	struct pt_buf b = PT_BUF_INIT;
	bool same;

	put_path(&b, c, file, item);
	same = !strcmp(b.data, path);
	pt_buf_deinit(&b);
	return same;
}

bool pt_paths_has(const struct pt_call *c, const char *path)
{
	const struct pt_piece *p;
	struct pt_piece_file file;
	struct pt_spec s;

	for (int item = PT_PIECE_FILE - 1; paths_next_file(c, &item, &file); )
		if (is_path(c, &file, item, path))
			return true;
	if (!pt_spec_parse(c->name, pt_call_machine(c), &s))
		return false;
	for (int i = 0; i < s.nr; i++) {
		if (!s.args[i].type || strcmp(s.args[i].type->name, "path"))
			continue;
		p = pt_call_piece(c, i, 0);
		if (p && !strncmp((const char *)(p + 1), path, p->len))
			return true;
	}
	return false;
}
