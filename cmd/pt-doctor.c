/* pt-doctor: what this machine and this user can trace, and the command that lifts each limit. */
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
	PT_ROW_JSON("one JSON object per line"),
	PT_ROW_FLAG('q', "quick",
		    "skip the test of idle CPUs, which takes a quarter of a second", quick),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-doctor",
	.forms = PT_LINES("[OPTION...]"),
	.groups = PT_GROUPS(PT_OWN("Output", own)),
	.examples = PT_LINES(
		"pt-doctor | grep -v ^ok         only what is limited or missing",
		"sudo -u nobody pt-doctor        what another user may do"),
};

static void print_json(struct pt_buf *b, const struct pt_finding *f)
{
	pt_json_open(b, NULL, '{');
	pt_json_str(b, "key", f->key);
	pt_json_str(b, "state", pt_state_name(f->state));
	pt_json_str(b, "text", f->text);
	pt_json_str(b, "cure", f->cure);
	pt_json_end_line(b);
}

static void print_line(struct pt_buf *b, const struct pt_finding *f, const char *arrow,
		       const char *text)
{
	pt_buf_printf(b, "%-8s %-14s %s", pt_state_name(f->state), f->key, arrow);
	pt_text_puts(b, text);
	pt_buf_putc(b, '\n');
}

static void print_text(struct pt_buf *b, const struct pt_finding *f)
{
	print_line(b, f, "", f->text);
	if (f->cure)
		print_line(b, f, "-> ", f->cure);
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

#ifdef PT_WITH_PROTOBUF
static const char files[] = "pprof and Perfetto files of pt-convert by protobuf-c";
#else
static const char files[] =
	"no pprof and Perfetto files of pt-convert (protobuf-c and its compiler were not there)";
#endif

#ifdef PT_STATIC
static const char linking[] =
	"static: no debuginfod, no vendors' event names, users of /etc/passwd only, since these are libraries that are loaded at run time; ";
#else
static const char linking[] = "";
#endif

int main(int argc, char **argv)
{
	struct args args = { 0 };
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &args);
	void (*print)(struct pt_buf *, const struct pt_finding *) =
		args.json ? print_json : print_text;
	struct pt_survey survey = { 0 };
	char version[32];
	const char *pfm;
	struct pt_buf b = PT_BUF_INIT, build = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;

	if (operands.nr)
		pt_usage(&tool, "'%s': takes no operands", operands.v[0]);
	pt_survey_run(&survey, &(struct pt_survey_opts){ .events = true, .idle = !args.quick });
	pfm = pt_pfm_version(version);
	pt_buf_printf(
		&build,
		"pt %s; %scompressed recordings (zstd %s); %s; %s; %s; %s; %s; vendors' event names (libpfm4%s%s)",
		PT_VERSION, linking, ZSTD_versionString(), unpacking, second, code, screens, files,
		pfm ? " " : ": no, it was not there at build", pfm ? pfm : "");
	print(&b, &(struct pt_finding){ "build", PT_STATE_OK, build.data, NULL });
	for (size_t i = 0; i < survey.nr; i++)
		print(&b, &survey.v[i]);
	pt_survey_deinit(&survey);
	pt_buf_deinit(&build);
	return pt_finish_text(&tool, NULL, &b, 0, &e);
}
