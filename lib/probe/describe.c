#include "probe/describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "probe/where/functions.h"
#include "probe/where/kernel.h"
#include "probe/where/listing.h"

static void function_json(const struct pt_function *f, const char *module, struct pt_buf *b)
{
	pt_json_open(b, NULL, '{');
	pt_json_strn(b, "function", f->name, f->len);
	pt_json_str(b, "module", module);
	pt_json_bool(b, "inlined", f->inlined);
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
}

/* Gives the functions that one pattern matches. 0: there are none. */
static int file_functions(struct pt_subject *s, const struct pt_functions_asked *a,
			  const char *pattern, struct pt_err *e)
{
	struct pt_target *t = pt_subject_target(s, e);
	struct pt_buf json = PT_BUF_INIT;
	const char *at = NULL;
	struct pt_functions fs;
	struct pt_function f;
	int rc;

	if (!t)
		return -1;
	pt_functions_list(&fs, t, pattern, a->inlined);
	while (a->json && pt_functions_next(&fs, &at, &f))
		function_json(&f, NULL, &json);
	rc = a->json ? a->write(a->ctx, json.data, json.len, e)
		     : a->write(a->ctx, fs.text, fs.len, e);
	if (rc == 0)
		rc = fs.len > 0;
	pt_buf_deinit(&json);
	pt_functions_deinit(&fs);
	return rc;
}

static int kernel_functions(const struct pt_subject *s, const struct pt_functions_asked *a,
			    const char *pattern, struct pt_err *e)
{
	struct pt_buf out = PT_BUF_INIT;
	struct pt_kernel_funcs fs;
	int rc;

	if (pt_kernel_funcs_list(&fs, pattern, s->module, e) < 0)
		return -1;
	for (size_t i = 0; i < fs.nr; i++) {
		const struct pt_kernel_func *f = &fs.v[i];

		if (a->json) {
			function_json(&(struct pt_function){ f->name, strlen(f->name), false },
				      f->module, &out);
			continue;
		}
		pt_text_puts(&out, f->name);
		pt_buf_putc(&out, '\n');
	}
	rc = a->write(a->ctx, out.data, out.len, e);
	pt_buf_deinit(&out);
	pt_kernel_funcs_deinit(&fs);
	return rc < 0 ? -1 : 1;
}

int pt_describe_functions(struct pt_subject *s, const struct pt_functions_asked *a,
			  struct pt_err *e)
{
	bool shown = false;
	char *text;

	for (size_t k = 0; k < PT_MAX(a->nr, 1); k++) {
		const char *pattern = a->nr ? a->patterns[k] : NULL;
		int rc = pt_subject_is_file(s) ? file_functions(s, a, pattern, e)
					       : kernel_functions(s, a, pattern, e);

		if (rc < 0)
			return -1;
		shown |= rc;
	}
	if (shown)
		return 1;
	text = pt_asprintf(
		"%s: no function%s%s", s->target.path,
		a->nr ? " matches " : " is known: it is stripped; name addresses: 0xADDRESS",
		a->nr ? a->patterns[0] : "");
	s->say(s->ctx, text);
	free(text);
	return 0;
}

static void lines_json(const struct pt_listing *l, struct pt_buf *b)
{
	for (size_t i = 0; i < l->nr; i++) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "file", l->path ? l->path : l->file);
		pt_json_str(b, "function", l->func);
		pt_json_u64(b, "line", l->v[i].line);
		pt_json_u64(b, "number", l->v[i].line - l->first);
		pt_json_bool(b, "probeable", l->v[i].probeable);
		if (l->v[i].text)
			pt_json_strn(b, "text", l->v[i].text, l->v[i].len);
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	}
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
		lines_json(&l, out);
	else
		pt_listing_print(&l, out);
	pt_listing_deinit(&l);
	return 0;
}
