#include "cli/title.h"

#include <string.h>
#include <time.h>

#include "base/text.h"

enum { COMMAND_COLUMNS = 32 };

/* Words as a line, cut at its end. */
static void title_add_words(struct pt_buf *b, const char *const *words, size_t nr)
{
	struct pt_buf line = PT_BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (i)
			pt_buf_putc(&line, ' ');
		pt_text_puts(&line, words[i]);
	}
	pt_text_cut(b, pt_buf_str(&line), line.len, COMMAND_COLUMNS);
	pt_buf_deinit(&line);
}

/* The command that was watched; of a recording without "--" the recorder's own command line. */
static void add_command(struct pt_buf *b, const struct pt_analysis *an, const struct pt_info *info)
{
	const char *const *words = info->cmdline;
	size_t nr = info->nr_cmdline, i = 0;

	if (info->live) {
		words = (const char *const *)an->operands.v;
		nr = (size_t)an->operands.nr;
	}
	while (!info->live && i < nr && strcmp(words[i], "--"))
		i++;
	if (!info->live && i + 1 < nr)
		i++;
	else
		i = 0;
	title_add_words(b, words + i, nr - i);
}

void pt_title_add(struct pt_buf *b, const char *before, const struct pt_analysis *an)
{
	const struct pt_info *info = pt_source_info(an->src);
	time_t seconds = (time_t)(info->wall_ns / 1000000000);
	struct pt_buf title = PT_BUF_INIT;
	char date[64];
	struct tm tm;

	add_command(&title, an, info);
	if (info->hostname) {
		pt_buf_puts(&title, title.len ? " on " : "");
		pt_text_puts(&title, info->hostname);
	}
	if (info->has_clock_data && gmtime_r(&seconds, &tm)) {
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
		pt_buf_printf(&title, title.len ? ", %s" : "%s", date);
	}
	if (title.len) {
		pt_buf_puts(b, before);
		pt_buf_join(b, &title);
	}
	pt_buf_deinit(&title);
}

void pt_title_note(struct pt_foldnote *n, const struct pt_analysis *an)
{
	struct pt_buf title = PT_BUF_INIT;

	pt_title_add(&title, "", an);
	pt_foldnote_recorded(n, pt_buf_str(&title));
	pt_buf_deinit(&title);
}
