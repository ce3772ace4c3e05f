#include "cli/foldedin.h"

#include <string.h>

#include "base/lines.h"
#include "cli/losses.h"
#include "cli/textin.h"

static void foldedin_take_line(void *arg, const char *line, size_t len)
{
	struct pt_foldedin *f = arg;

	f->lines++;
	pt_foldnote_add(&f->note, line, len);
	if (!f->line(f->ctx, line, len) && !f->bad++)
		f->first_bad = f->lines;
}

int pt_foldedin_read(const struct pt_tool *tool, struct pt_foldedin *f,
		     const struct pt_input_args *in, const char *path, struct pt_err *e)
{
	char *files[] = { (char *)path };
	struct pt_textin text = { .files = files, .nr = 1 };
	struct pt_lines lines = { .line = foldedin_take_line, .arg = f };
	char block[1 << 14];
	ssize_t n;

	pt_textin_start(tool, &text);
	if (in->start_len)
		pt_lines_feed(&lines, in->start, in->start_len);
	while ((n = pt_textin_read(&text, block, sizeof(block), e)) > 0)
		pt_lines_feed(&lines, block, (size_t)n);
	pt_lines_end(&lines);
	pt_lines_deinit(&lines);
	path = strcmp(path, "-") ? path : "standard input";
	if (!f->lines && n == 0)
		return pt_err_set(e, "%s: empty", path);
	if (f->bad == f->lines && n == 0)
		return pt_err_set(e,
				  "%s: neither a recording nor folded stacks (FRAME;FRAME COUNT); pt-fold converts other tools' stacks",
				  path);
	pt_warn_not_folded(tool, NULL, f->bad, f->lines, f->first_bad);
	return n < 0 ? -1 : 0;
}
