#include "cli/split.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { PIECE_BYTES = 64 << 10 };

struct split_file { struct pt_buf text; bool begun; };

static struct split_file *split_file_of(struct pt_split *s, uint32_t tid)
{
	uint64_t *at = pt_map_put(&s->files, tid);

	if (!*at)
		*at = pt_word_of(pt_alloc(sizeof(struct split_file)));
	return pt_pointer(*at);
}

struct pt_buf *pt_split_of(struct pt_split *s, uint32_t tid)
{
	return &split_file_of(s, tid)->text;
}

static int split_write_file(struct pt_split *s, struct split_file *f, uint32_t tid,
			    struct pt_err *e)
{
	char *path = pt_asprintf("%s.%u", s->prefix, tid);
	FILE *to = fopen(path, f->begun ? "ae" : "we");
	int rc = 0;

	if (!to || fwrite(f->text.data, 1, f->text.len, to) != f->text.len)
		rc = pt_err_sys(e, errno, "%s", path);
	if (to && fclose(to) && rc == 0)
		rc = pt_err_sys(e, errno, "%s", path);
	f->begun = true;
	pt_buf_clear(&f->text);
	free(path);
	return rc;
}

int pt_split_paced(struct pt_split *s, uint32_t tid, struct pt_err *e)
{
	struct split_file *f = split_file_of(s, tid);

	return f->text.len < PIECE_BYTES ? 0 : split_write_file(s, f, tid, e);
}

int pt_split_close(struct pt_split *s, struct pt_err *e)
{
	struct pt_map_slot *slot;
	int rc = 0;

	for (size_t i = 0; (slot = pt_map_each(&s->files, &i)); ) {
		struct split_file *f = pt_pointer(slot->value);

		if (rc == 0 && (f->text.len || !f->begun))
			rc = split_write_file(s, f, (uint32_t)slot->key, e);
		pt_buf_deinit(&f->text);
		free(f);
	}
	pt_map_deinit(&s->files);
	return rc;
}
