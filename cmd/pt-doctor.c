/* pt-doctor: what this machine and this user can trace, and the command that lifts each limit. */
#include <string.h>
#include <zstd.h>
#ifdef PT_WITH_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "base/json.h"
#include "base/text.h"
#include "cli/input.h"
#include "event/pfm.h"
#include "event/survey.h"

struct args {
	bool json, quick;
};

static const struct pt_opt own[] = {
	PT_ROW_JSON("a JSON object a line"),
	PT_ROW('q', "quick", NULL,
	       "leave out the test of idle CPUs, which takes a quarter of a second", PT_OPT_FLAG,
	       quick),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-doctor",
	.purpose =
		"what this machine and this user can trace, and the command that lifts each limit",
	.forms = PT_LINES("[OPTION...]"),
	.groups = PT_GROUPS(PT_OWN("Output", own)),
	.examples = PT_LINES(
		"pt-doctor | grep -v ^ok         only what is in the way",
		"sudo -u nobody pt-doctor        what another user could do"),
};

static void print_json(struct pt_buf *b, const char *key, const char *state, const char *text,
		       const char *cure)
{
	pt_json_open(b, NULL, '{');
	pt_json_str(b, "key", key);
	pt_json_str(b, "state", state);
	pt_json_str(b, "text", text);
	pt_json_str(b, "cure", cure);
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
}

static void print_text(struct pt_buf *b, const char *key, const char *state, const char *text,
		       const char *cure)
{
	pt_buf_printf(b, "%-8s %-14s ", state, key);
	pt_text_plain(b, text, strlen(text));
	pt_buf_putc(b, '\n');
	if (cure) {
		pt_buf_printf(b, "%-8s %-14s -> ", state, key);
		pt_text_plain(b, cure, strlen(cure));
		pt_buf_putc(b, '\n');
	}
}

#ifdef PT_WITH_LIBUNWIND
static const char second[] = "second opinions on stacks (libunwind)";
#else
static const char second[] = "no second opinions on stacks (libunwind was not there)";
#endif

#ifdef PT_WITH_LIBDEFLATE
static const char unpacking[] =
	"debug information unpacked by libdeflate " LIBDEFLATE_VERSION_STRING;
#else
static const char unpacking[] =
	"debug information unpacked by zlib (libdeflate, which takes half the time, was not there)";
#endif

#ifdef PT_WITH_ZYDIS
static const char code[] = "lengths of x86 instructions by Zydis, for pt-probe";
#else
static const char code[] = "no lengths of x86 instructions for pt-probe (Zydis was not there)";
#endif

#ifdef PT_WITH_NCURSES
static const char screens[] = "pt-top's screen by ncurses";
#else
static const char screens[] = "no screen for pt-top, text alone (ncurses was not there)";
#endif

int main(int argc, char **argv)
{
	struct args args = { 0 };
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &args);
	void (*print)(struct pt_buf *, const char *, const char *, const char *, const char *) =
		args.json ? print_json : print_text;
	struct pt_survey survey = { 0 };
	char version[32];
	const char *pfm;
	struct pt_buf b = PT_BUF_INIT, build = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	size_t i;

	if (operands.nr)
		pt_usage(&tool, "'%s': takes no operands", operands.v[0]);
	pt_survey_run(&survey, &(struct pt_survey_opts){ .events = true, .idle = !args.quick });
	pfm = pt_pfm_version(version);
	pt_buf_printf(
		&build,
		"pt %s; compressed recordings (zstd %s); %s; %s; %s; %s; vendors' event names (libpfm4%s%s)",
		PT_VERSION, ZSTD_versionString(), unpacking, second, code, screens,
		pfm ? " " : ": no, it was not there at build", pfm ? pfm : "");
	print(&b, "build", pt_state_name(PT_STATE_OK), pt_buf_str(&build), NULL);
	for (i = 0; i < survey.nr; i++)
		print(&b, survey.v[i].key, pt_state_name(survey.v[i].state), survey.v[i].text,
		      survey.v[i].cure);
	pt_survey_deinit(&survey);
	pt_buf_deinit(&build);
	return pt_finish_text(&tool, NULL, &b, 0, &e);
}
