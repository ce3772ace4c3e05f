#include "probe/describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "probe/show.h"
#include "probe/where/kernel.h"

enum { PIECE_BYTES = 64 << 10 };

static int write_piece(const struct pt_describe_sink *sink, struct pt_buf *b, struct pt_err *e)
{
	int rc = b->len ? sink->write(sink->ctx, b->data, b->len, e) : 0;

	pt_buf_clear(b);
	return rc;
}

static int write_functions(const struct pt_functions *fs, bool json,
			   const struct pt_describe_sink *sink, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	const char *at = NULL;
	struct pt_function f;
	int rc = 0;

	if (!json)
		return fs->len ? sink->write(sink->ctx, fs->text, fs->len, e) : 0;
	while (rc == 0 && pt_functions_next(fs, &at, &f)) {
		char *name = pt_strndup(f.name, f.len);

		pt_show_function_json(name, NULL, f.inlined, &b);
		free(name);
		if (b.len >= PIECE_BYTES)
			rc = write_piece(sink, &b, e);
	}
	if (rc == 0)
		rc = write_piece(sink, &b, e);
	pt_buf_deinit(&b);
	return rc;
}

/* Each call: the functions that one pattern matches. *shown: there are some. */
static int file_functions(struct pt_subject *s, const char *pattern, bool inlined, bool json,
			  const struct pt_describe_sink *sink, bool *shown, struct pt_err *e)
{
	struct pt_target *t = pt_subject_target(s, e);
	struct pt_functions fs;
	int rc;

	if (!t)
		return -1;
	pt_functions_list(&fs, t, pattern, inlined);
	rc = write_functions(&fs, json, sink, e);
	*shown |= fs.len > 0;
	pt_functions_deinit(&fs);
	return rc;
}

static int kernel_functions(const struct pt_subject *s, const char *pattern, bool json,
			    const struct pt_describe_sink *sink, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_kernel_funcs fs;
	int rc;

	if (pt_kernel_funcs_list(&fs, pattern, s->module, e) < 0)
		return -1;
	for (size_t i = 0; i < fs.nr; i++) {
		if (json) {
			pt_show_function_json(fs.v[i].name, fs.v[i].module, false, &b);
			continue;
		}
		pt_text_plain(&b, fs.v[i].name, strlen(fs.v[i].name));
		pt_buf_putc(&b, '\n');
	}
	rc = write_piece(sink, &b, e);
	pt_buf_deinit(&b);
	pt_kernel_funcs_deinit(&fs);
	return rc;
}

int pt_describe_functions(struct pt_subject *s, char *const *patterns, size_t nr, bool inlined,
			  bool json, const struct pt_describe_sink *sink, struct pt_err *e)
{
	bool file = pt_subject_is_file(s), shown = false;
	char *text;

	for (size_t k = 0; k < PT_MAX(nr, 1); k++) {
		const char *pattern = nr ? patterns[k] : NULL;
		int rc = file ? file_functions(s, pattern, inlined, json, sink, &shown, e)
			      : kernel_functions(s, pattern, json, sink, e);

		if (rc < 0)
			return -1;
	}
	if (shown || !file)
		return 1;
	text = pt_asprintf(
		"%s: no function%s%s", s->target.path,
		nr ? " matches " : " is known: it is stripped; name addresses: 0xADDRESS",
		nr ? patterns[0] : "");
	s->say(s->ctx, text);
	free(text);
	return 0;
}

int pt_describe_lines(struct pt_subject *s, const char *what, bool json, struct pt_buf *out,
		      struct pt_err *e)
{
	struct pt_target *t;
	struct pt_listing l;

	if (!pt_subject_is_known(s))
		return pt_err_set(e, "-L %s: lines are known with debug information: %s", what,
				  s->no_image.msg);
	t = pt_subject_target(s, e);
	if (!t || pt_listing_make(&l, t, what, e) < 0)
		return -1;
	if (l.note)
		s->say(s->ctx, l.note);
	if (json)
		pt_show_lines_json(&l, out);
	else
		pt_listing_print(&l, out);
	pt_listing_deinit(&l);
	return 0;
}

int pt_describe_variables(struct pt_subject *s, const struct pt_point *p, bool json,
			  struct pt_buf *out, struct pt_err *e)
{
	struct pt_target *t;

	if (!pt_subject_is_known(s))
		return pt_show_kernel_vars(p, s->module, pt_make_machine(), json, s->no_image.msg,
					   out, e);
	t = pt_subject_target(s, e);
	return t ? pt_show_vars(t, p, json, out, e) : -1;
}
