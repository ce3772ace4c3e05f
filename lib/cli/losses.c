#include "cli/losses.h"

#include "base/num.h"
#include "base/text.h"

static const char *cure(bool live)
{
	return live ? "a larger -m helps" : "record with a larger -m";
}

static const char *were(uint64_t nr)
{
	return nr == 1 ? "was" : "were";
}

void pt_warn_count(const struct pt_tool *tool, uint64_t nr, const char *one, const char *many,
		   const char *rest)
{
	if (nr)
		pt_warn(tool, "%s %s %s", pt_num_grouped(nr).text, nr == 1 ? one : many, rest);
}

void pt_warn_event_losses(const struct pt_tool *tool, const char *name, bool side_band,
			  const struct pt_event_tally *t, bool live)
{
	struct pt_num_text all = pt_num_grouped(t->samples + t->lost + t->dropped + t->undelivered);

	if (t->lost && side_band)
		pt_warn(tool, "%s %s of tasks and mappings %s lost (no room in the ring): "
			"names may be missing; %s", pt_num_grouped(t->lost).text,
			t->lost == 1 ? "record" : "records", were(t->lost), cure(live));
	else if (t->lost)
		pt_warn(tool, "%s of %s %s %s lost (no room in the ring); %s",
			pt_num_grouped(t->lost).text, all.text, name, were(t->lost), cure(live));
	if (t->dropped)
		pt_warn(tool, "%s of %s %s %s dropped, since the reader of the stream stalled: "
			"a faster reader, or a file", pt_num_grouped(t->dropped).text, all.text,
			name, were(t->dropped));
	if (t->undelivered)
		pt_warn(tool, "the kernel counted %s %s and delivered %s: %s never came (a kernel "
			"that %sloses events of idle CPUs: keep them out of idle, see pt-doctor)",
			all.text, name, pt_num_grouped(t->samples + t->dropped).text,
			pt_num_grouped(t->undelivered).text,
			t->shares_samples ? "takes them for another event that samples the same, "
					    "here or in another session, or " : "");
}

void pt_warn_unknown_losses(const struct pt_tool *tool, uint64_t lost, bool live)
{
	if (lost)
		pt_warn(tool,
			"%s %s %s lost, of which event is not known (no room in the ring); %s",
			pt_num_grouped(lost).text, lost == 1 ? "record" : "records", were(lost),
			cure(live));
}

void pt_warn_throttled(const struct pt_tool *tool, uint64_t times)
{
	if (times)
		pt_warn(tool, "the kernel paused sampling %s %s, since it took too much time: "
			"a lower -F, or a larger -c", pt_num_grouped(times).text,
			times == 1 ? "time" : "times");
}

void pt_warn_stacks(const struct pt_tool *tool, const struct pt_foldnote *n)
{
	struct pt_buf b = PT_BUF_INIT;

	if (!n->known)
		return;
	pt_foldnote_text(n, &b);
	pt_warn(tool, "%s", pt_buf_str(&b));
	pt_buf_deinit(&b);
}

void pt_warn_not_folded(const struct pt_tool *tool, const char *path, uint64_t bad, uint64_t lines,
			uint64_t first_bad)
{
	if (bad)
		pt_warn(tool, "%s%s%llu of %llu lines are not folded stacks (FRAME;FRAME COUNT), the first is line %llu; pt-fold converts stacks of other tools",
			path ? path : "", path ? ": " : "", (unsigned long long)bad,
			(unsigned long long)lines, (unsigned long long)first_bad);
}

void pt_warn_limit(const struct pt_tool *t, const char *path, const struct pt_budget *b)
{
	struct pt_buf plain = PT_BUF_INIT;
	char text[80];

	pt_text_puts(&plain, path);
	pt_warn(t, "%s: not all of its names and inlined functions are known: it met %s",
		pt_buf_str(&plain), pt_budget_limit_text(b, text));
	pt_buf_deinit(&plain);
}
