/* pt-fold - turns stack text of other tools into folded lines; merges, filters and reshapes folded
 * lines. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/foldline.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/offer.h"
#include "cli/input.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/textin.h"
#include "stack/foldtext.h"
#include "stack/stacks.h"

struct args {
	struct pt_foldtext_opts text;
	bool weighted, all_events;
	struct pt_strs grep, exclude, drop;
	const char *root, *leaf, *output;
	uint64_t depth, strips;		/* STRIP_... */
	bool plain;
};

static int opt_all(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	(void)arg, (void)e;
	a->text.kernel = a->text.jit = true;
	return 0;
}

enum { STRIP_ADDRS = 1, STRIP_TEMPLATES = 2, STRIP_MARKS = 4 };
static const struct pt_word strips[] = { PT_WORD("addrs", STRIP_ADDRS),
					 PT_WORD("templates", STRIP_TEMPLATES),
					 PT_WORD("marks", STRIP_MARKS), { 0 } };

static const struct pt_opt reading[] = {
	PT_ROW(0, "from", "TOOL",
	       "whose text it is, if it cannot be told: perf, eu-stack, gdb, bpftrace, jstack, folded",
	       PT_OPT_WORD, text.from, .words = pt_foldtext_words),
	PT_ROW('e', "event", "EVENT",
	       "of perf script: only samples of this event (default: the first)", PT_OPT_STR,
	       text.event),
	PT_ROW(0, "event-filter", "EVENT", NULL, PT_OPT_STR, text.event),
	PT_ROW_FLAG(0, "all-events", "samples of all events", all_events),
	PT_ROW_FLAG(0, "weighted",
		    "weight samples by their periods, if the text has them (default)", weighted),
	PT_ROW_FLAG(0, "samples", "weight each sample by 1", text.samples),
	{ 0 }
};

static const struct pt_opt naming[] = {
	PT_ROW_FLAG(0, "pid", "use COMM-PID as the first frame", text.pid),
	PT_ROW_FLAG(0, "tid", "use COMM-PID/TID as the first frame", text.tid),
	PT_ROW_FLAG(0, "kernel", "mark kernel frames _[k]", text.kernel),
	PT_ROW_FLAG(0, "jit", "mark frames of perf-PID.map files _[j]", text.jit),
	PT_ROW_CALL(0, "all", NULL, "--kernel and --jit", opt_all),
	PT_ROW_FLAG(0, "inlined", "mark inlined frames _[i]", text.inlined),
	PT_ROW_FLAG(0, "no-inline", "leave inlined frames out", text.no_inline),
	PT_ROW_FLAG(0, "addrs", "show addresses of frames without a name", text.addrs),
	PT_ROW_FLAG(0, "context", "append source lines to names, if the text has them",
		    text.context),
	PT_ROW_FLAG(0, "srcline", NULL, text.context),
	{ 0 }
};

static const struct pt_opt shaping[] = {
	PT_ROW('g', "grep", "REGEX", "only stacks with a frame that matches", PT_OPT_LIST, grep),
	PT_ROW('v', "exclude", "REGEX", "no stacks with a frame that matches", PT_OPT_LIST,
	       exclude),
	PT_ROW(0, "root", "REGEX",
	       "start stacks at the first frame that matches; drop the others", PT_OPT_STR,
	       root),
	PT_ROW(0, "leaf", "REGEX",
	       "end stacks at the first frame that matches", PT_OPT_STR,
	       leaf),
	PT_ROW(0, "drop", "REGEX", "leave out frames that match, and keep the rest of their stacks",
	       PT_OPT_LIST, drop),
	PT_ROW(0, "depth", "N", "keep the outermost N frames", PT_OPT_U64, depth, .min = 1,
	       .max = 1000000),
	PT_ROW(0, "strip", "WHAT",
	       "remove from names: addrs (0x..., +0x...), templates (<...>), marks (_[k] ...)",
	       PT_OPT_WORDS, strips, .words = strips),
	PT_ROW_FLAG(0, "plain", "no first line about samples, losses and gaps", plain),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-fold",
	.forms = PT_LINES("[OPTION...] [FILE | -]..."),
	.groups = PT_GROUPS(
		PT_OWN("Reading", reading),
		PT_OWN("Names", naming),
		PT_OWN("Stacks", shaping)),
	.examples = PT_LINES(
		"perf script | pt-fold | pt-flame > cpu.svg",
		"gdb -p 1234 -batch -ex 'thread apply all bt' 2>/dev/null | pt-fold",
		"pt-fold --root '^do_work$' a.folded b.folded"),
};

/* A pattern, and whether each name so far matches it. */
struct pattern { regex_t regex; struct pt_map verdicts; };

struct run {
	const struct args *a;
	struct pt_stacks *stacks;
	struct pt_names *names;
	struct pattern *grep, *exclude, *drop, root, leaf;
	struct pt_buf line, name;
	const char **frames;
	size_t cap;
	struct pt_offer leaves;		/* of the stacks to choose from */
};

static void compile(struct pattern *p, const char *text)
{
	char why[256];
	int rc = regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB);

	if (!rc)
		return;
	regerror(rc, &p->regex, why, sizeof(why));
	pt_usage(&tool, "'%s' is no regular expression: %s", text, why);
}

static struct pattern *compile_all(const struct pt_strs *texts)
{
	struct pattern *p = pt_alloc_array(texts->nr, sizeof(*p));
	size_t i;

	for (i = 0; i < texts->nr; i++)
		compile(&p[i], texts->v[i]);
	return p;
}

static bool matches(struct pattern *p, const char *name)
{
	uint64_t *slot = pt_map_put(&p->verdicts, pt_word_of(name));

	if (!*slot)
		*slot = regexec(&p->regex, name, 0, NULL, 0) ? 1 : 2;
	return *slot == 2;
}

static bool any_matches(struct pattern *p, const char *const *frames, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (matches(p, frames[i]))
			return true;
	return false;
}

/* The < of "operator<" opens no template. */
static bool opens_template(const char *s, size_t at)
{
	return at && s[at] == '<' && !(at >= 8 && !memcmp(s + at - 8, "operator", 8)) &&
	       !(at >= 9 && !memcmp(s + at - 9, "operator<", 9));
}

static const char *stripped(struct run *r, const char *s, size_t len)
{
	size_t i = 0, n;
	int depth = 0;

	if (r->a->strips & STRIP_MARKS && pt_foldline_mark(s, len))
		len -= PT_FOLDLINE_MARK_LEN;
	pt_buf_clear(&r->name);
	while (i < len) {
		if (r->a->strips & STRIP_ADDRS && (n = pt_foldline_address(s, len, i))) {
			if (r->name.len && r->name.data[r->name.len - 1] == '+')
				r->name.len--;
			i += n;
			continue;
		}
		if (r->a->strips & STRIP_TEMPLATES && (depth ? s[i] == '<' : opens_template(s, i)))
			depth++;
		else if (depth && s[i] == '>' && s[i - 1] != '-')
			depth--;
		else if (!depth)
			pt_buf_putc(&r->name, s[i]);
		i++;
	}
	return pt_names_add(r->names, r->name.len ? r->name.data : s,
			    r->name.len ? r->name.len : len);
}

/* Takes the frames of --drop out of [from, nr). Returns the new end. */
static size_t drop_frames(struct run *r, size_t from, size_t nr)
{
	size_t to = from, i, k;

	for (i = from; i < nr; i++) {
		for (k = 0; k < r->a->drop.nr; k++)
			if (matches(&r->drop[k], r->frames[i]))
				break;
		if (k == r->a->drop.nr)
			r->frames[to++] = r->frames[i];
	}
	return to;
}

/* Narrows [*from, *nr) to the frames to keep; false: drop the stack. */
static bool reshape(struct run *r, size_t *from, size_t *nr)
{
	const struct args *a = r->a;
	size_t i;

	for (i = 0; i < a->grep.nr; i++)
		if (!any_matches(&r->grep[i], r->frames, *nr))
			return false;
	for (i = 0; i < a->exclude.nr; i++)
		if (any_matches(&r->exclude[i], r->frames, *nr))
			return false;
	if (a->root) {
		while (*from < *nr && !matches(&r->root, r->frames[*from]))
			++*from;
		if (*from == *nr)
			return false;
	}
	for (i = *from; a->leaf && i < *nr; i++)
		if (matches(&r->leaf, r->frames[i]))
			*nr = i + 1;
	*nr = drop_frames(r, *from, *nr);
	if (a->depth && *nr - *from > a->depth)
		*nr = *from + a->depth;
	return true;
}

static void got_stack(void *arg, const struct pt_piece *frames, size_t nr, double count)
{
	struct run *r = arg;
	size_t i, from = 0, n = nr;
	const char *leaf;

	if (r->cap < nr)
		r->frames = pt_realloc(r->frames, r->cap = 2 * nr, sizeof(*r->frames));
	for (i = 0; i < nr; i++)
		r->frames[i] = r->a->strips ? stripped(r, frames[i].s, frames[i].len)
					 : pt_names_add(r->names, frames[i].s, frames[i].len);
	leaf = nr ? r->frames[nr - 1] : NULL;
	if (!pt_offer_note(&r->leaves, leaf, reshape(r, &from, &n)))
		return;
	pt_buf_clear(&r->line);
	/* Readers take a line that begins with # for a note. */
	if (from < n && *r->frames[from] == '#')
		pt_buf_putc(&r->line, ' ');
	for (i = from; i < n; i++) {
		pt_buf_puts(&r->line, r->frames[i]);
		pt_buf_putc(&r->line, ';');
	}
	if (r->line.len)
		pt_stacks_add(r->stacks, r->line.data, r->line.len - 1, count, 0);
}

static int read_all(struct pt_foldtext *t, const struct pt_operands *files,
		    struct pt_err *e)
{
	struct pt_textin in = { .files = files->v, .nr = files->nr };
	static char block[1 << 18];
	struct pt_foldtext_counts c;
	int at = 0;
	ssize_t n;

	pt_textin_start(&tool, &in);
	while ((n = pt_textin_read(&in, block, sizeof(block), e)) > 0) {
		if (in.at != at)			/* each file may come from another tool */
			pt_foldtext_end(t);
		at = in.at;
		pt_foldtext_feed(t, block, (size_t)n);
	}
	pt_foldtext_end(t);
	c = pt_foldtext_counts(t);
	if (c.other_events)
		pt_warn(&tool,
			"only samples of %s are used, %llu of other events are left out (-e EVENT chooses, --all-events takes all)",
			c.event, (unsigned long long)c.other_events);
	pt_warn_count(&tool, c.left_out, "frame is", "frames are",
		      "left out: stacks end at 65,536 frames");
	if (c.bad)
		pt_warn(&tool, "%llu of %llu lines cannot be parsed, the first is line %llu",
			(unsigned long long)c.bad, (unsigned long long)c.lines,
			(unsigned long long)c.first_bad);
	if (!n && !c.stacks)
		return pt_err_set(e, "no stacks in the input (--from says whose text it is)");
	return n < 0 ? -1 : 0;
}

/* Prints what the inputs say of themselves (base/foldnote.h) on standard error, and in front of the
 * output. */
static int print_note(const struct args *a, const struct pt_foldnote *n, struct pt_out *out,
		      struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	int rc;

	pt_warn_stacks(&tool, n);
	if (!a->plain)
		pt_foldnote_lines(n, &b);
	rc = pt_out_buf(out, &b, e);
	pt_buf_deinit(&b);
	return rc;
}

static void say_leaves(const struct pt_offer *leaves)
{
	struct pt_buf b = PT_BUF_INIT;

	if (!pt_offer_refused(leaves))
		return;
	pt_offer_puts(leaves, &b);
	pt_warn(&tool, "-g, -v and --root choose no stack; the stacks end in: %s", pt_buf_str(&b));
	pt_buf_deinit(&b);
}

static int print(struct pt_stacks *stacks, struct pt_out *out, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	const struct pt_stack_sum *s;
	size_t nr, i;
	int rc = 0;

	s = pt_stacks_sorted(stacks, &nr);
	for (i = 0; i < nr && rc == 0; i++) {
		pt_buf_clear(&b);
		pt_buf_puts(&b, s[i].text);
		pt_buf_putc(&b, ' ');
		pt_foldline_count(&b, s[i].v[0]);
		pt_buf_putc(&b, '\n');
		rc = pt_out_write(out, b.data, b.len, e);
	}
	pt_buf_deinit(&b);
	return rc;
}

static void start(struct run *r, struct args *a)
{
	if (a->all_events)
		a->text.event = "*";
	if (a->weighted && a->text.samples)
		pt_usage(&tool, "--weighted and --samples: one of them");
	r->a = a;
	r->stacks = pt_stacks_new();
	r->names = pt_names_new();
	r->grep = compile_all(&a->grep);
	r->exclude = compile_all(&a->exclude);
	r->drop = compile_all(&a->drop);
	if (a->root)
		compile(&r->root, a->root);
	if (a->leaf)
		compile(&r->leaf, a->leaf);
}

static void forget(struct pattern *p)
{
	regfree(&p->regex);
	pt_map_deinit(&p->verdicts);
}

static void forget_all(struct pattern *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		forget(&list[i]);
	free(list);
}

static void end(struct run *r)
{
	forget_all(r->grep, r->a->grep.nr);
	forget_all(r->exclude, r->a->exclude.nr);
	forget_all(r->drop, r->a->drop.nr);
	if (r->a->root)
		forget(&r->root);
	if (r->a->leaf)
		forget(&r->leaf);
	free(r->frames);
	pt_buf_deinit(&r->line);
	pt_buf_deinit(&r->name);
	pt_stacks_free(r->stacks);
	pt_names_free(r->names);
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_err e = PT_ERR_INIT;
	struct run r = { .a = &a };
	struct pt_out *out = NULL;
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &a);
	int rc, written;
	struct pt_foldtext *t;
	struct pt_foldnote note;

	start(&r, &a);
	t = pt_foldtext_new(&a.text, got_stack, &r);
	rc = read_all(t, &operands, &e);
	written = pt_out_open(&out, a.output, rc ? NULL : &e);
	note = pt_foldtext_counts(t).note;
	if (written == 0)
		written = print_note(&a, &note, out, rc ? NULL : &e);
	if (written == 0)		/* what could be read is printed */
		written = print(r.stacks, out, rc ? NULL : &e);
	say_leaves(&r.leaves);
	pt_foldtext_free(t);
	end(&r);
	free(a.grep.v);
	free(a.exclude.v);
	free(a.drop.v);
	return pt_finish(&tool, NULL, out, rc ? rc : written, &e);
}
