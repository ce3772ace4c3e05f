#include "probe/existing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/ksyms.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/names.h"
#include "tracepoint/tp.h"

/* -- in source terms -- */

struct place {
	const char *path;		/* the real one; NULL: of the kernel */
	const char *symbol;		/* NULL: unknown */
	uint64_t symbol_off;
	const char *file;		/* of the source; NULL: unknown */
	uint32_t line;
	const char *note;		/* "the file is gone"; NULL */
};

struct file {
	char *told;			/* its path in definitions */
	char *path;			/* the real one */
	struct pt_target t;
	bool open;
	const char *note;
};

/* Opened once each. */
struct files {
	const struct pt_target_opts *o;
	struct file *v;
	size_t nr, cap;
	struct pt_buf name;
	struct pt_ksyms *ksyms;		/* NULL until needed */
};

static void close_files(struct files *fs)
{
	for (size_t i = 0; i < fs->nr; i++) {
		if (fs->v[i].open)
			pt_target_deinit(&fs->v[i].t);
		free(fs->v[i].told);
		free(fs->v[i].path);
	}
	free(fs->v);
	pt_buf_deinit(&fs->name);
	pt_ksyms_free(fs->ksyms);
}

static struct file *existing_file_of(struct files *fs, const char *told)
{
	struct pt_buf path = PT_BUF_INIT;
	struct file *f;

	for (size_t i = 0; i < fs->nr; i++)
		if (!strcmp(fs->v[i].told, told))
			return &fs->v[i];
	PT_GROW(fs->v, fs->nr, fs->cap);
	f = &fs->v[fs->nr++];
	pt_dyn_real_path(told, &path);
	*f = (struct file){ .told = pt_strdup(told), .path = pt_strdup(pt_buf_str(&path)) };
	pt_buf_deinit(&path);
	f->open = *f->path == '/' && strncmp(f->path, "/proc/self/", 11) &&
		  pt_target_open(&f->t, f->path, fs->o, NULL) == 0;
	if (!strncmp(f->path, "/proc/self/", 11))
		f->note = "its path had characters that the kernel does not take";
	else if (!f->open && access(f->path, F_OK) < 0 && errno == ENOENT)
		f->note = "the file is gone";
	return f;
}

static void look_file(struct files *fs, struct file *f, const struct pt_def *def,
		      struct place *l)
{
	struct pt_inline frames[32];
	struct pt_symbol s;
	uint64_t vaddr;
	size_t n;

	if (!pt_target_vaddr(&f->t, def->off, &vaddr)) {
		l->note = "not in the file's code: it was written anew since";
		return;
	}
	if (pt_target_symbol(&f->t, vaddr, &s)) {
		pt_buf_clear(&fs->name);
		l->symbol = pt_demangle(s.name, &fs->name) ? pt_buf_str(&fs->name) : s.name;
		l->symbol_off = vaddr - s.vaddr;
	}
	n = f->t.inlines
		    ? pt_inlines_lines_at(f->t.inlines, vaddr, frames, PT_NR(frames))
		    : 0;
	if (n && frames[0].file && frames[0].line) {
		l->file = frames[0].file;
		l->line = frames[0].line;
	}
}

/* Functions that share a name are probed by their distance from the kernel's start; the running
 * kernel's symbols name them. */
static void existing_look_kernel(struct files *fs, const struct pt_def *def, struct place *l)
{
	struct pt_ksym s;
	uint64_t start;

	l->symbol = def->symbol;
	l->symbol_off = def->symbol ? def->off : 0;
	if (def->symbol && strcmp(def->symbol, "_stext") && strcmp(def->symbol, "_text"))
		return;
	if (!fs->ksyms)
		fs->ksyms = pt_ksyms_local_amid();
	start = def->symbol ? pt_ksyms_text(fs->ksyms, def->symbol) : 0;
	if ((def->symbol && !start) || !pt_ksyms_find(fs->ksyms, start + def->off, &s))
		return;
	l->symbol = s.name;
	l->symbol_off = start + def->off - s.addr;
}

/* A file that is gone, or cannot be read, leaves the place as it is in the definition. */
static void existing_look(struct files *fs, const struct pt_def *def, struct place *l)
{
	struct file *f;

	*l = (struct place){ .path = NULL };
	if (!def->user) {
		existing_look_kernel(fs, def, l);
		return;
	}
	f = existing_file_of(fs, def->path);
	l->path = f->path;
	l->note = f->note;
	if (f->open)
		look_file(fs, f, def, l);
}

/* -- shown -- */

static void existing_show_json(const struct pt_def *def, const struct place *l, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;

	pt_json_open(b, NULL, '{');
	pt_buf_printf(&text, "%s:%s", def->group, def->event);
	pt_json_str(b, "event", text.data);
	pt_json_str(b, "kind",
		    def->user          ? def->kind == 'r' ? "uretprobe" : "uprobe"
		    : def->kind == 'r' ? "kretprobe"
				       : "kprobe");
	pt_json_str(b, "path", l->path);
	pt_json_str(b, "symbol", l->symbol);
	if (l->symbol)
		pt_json_u64(b, "offset", l->symbol_off);
	pt_json_str(b, "file", l->file);
	if (l->line)
		pt_json_u64(b, "line", l->line);
	pt_json_str(b, "note", l->note);
	pt_json_open(b, "args", '[');
	for (size_t i = 0; i < def->nr_args; i++) {
		if (pt_tp_is_guard(def->args[i].name))
			continue;
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "name", def->args[i].name);
		pt_json_str(b, "fetch", def->args[i].fetch);
		pt_json_str(b, "type", def->args[i].type);
		pt_json_close(b, '}');
	}
	pt_json_close(b, ']');
	pt_buf_clear(&text);
	pt_def_text(def, &text);
	pt_json_str(b, "definition", text.data);
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
	pt_buf_deinit(&text);
}

/* In perf's layout: "GROUP:NAME  (on FUNC+OFF@FILE:LINE in PATH with ARGS)" */
static void existing_show_text(const struct pt_def *def, const struct place *l, struct pt_buf *b)
{
	size_t from = b->len;

	pt_buf_printf(b, "%s:%s", def->group, def->event);
	pt_buf_pad_right(b, from, 24);
	pt_buf_puts(b, "  (on ");
	if (l->symbol) {
		pt_text_puts(b, l->symbol);
		if (l->symbol_off)
			pt_buf_printf(b, "+%llu", (unsigned long long)l->symbol_off);
	} else {
		pt_buf_printf(b, "0x%llx", (unsigned long long)def->off);
	}
	if (def->kind == 'r')
		pt_buf_puts(b, "%return");
	if (l->file) {
		pt_buf_putc(b, '@');
		pt_text_puts(b, basename(l->file));
		pt_buf_printf(b, ":%u", l->line);
	}
	if (l->path) {
		pt_buf_puts(b, " in ");
		pt_text_puts(b, l->path);
	}
	for (size_t i = 0; i < def->nr_args; i++) {
		if (pt_tp_is_guard(def->args[i].name))
			continue;
		pt_buf_puts(b, i ? " " : " with ");
		pt_text_puts(b, def->args[i].name);
		pt_buf_putc(b, '=');
		pt_text_puts(b, def->args[i].fetch);
		if (def->args[i].type) {
			pt_buf_putc(b, ':');
			pt_text_puts(b, def->args[i].type);
		}
	}
	pt_buf_putc(b, ')');
	if (l->note)
		pt_buf_printf(b, " [%s]", l->note);
	pt_buf_putc(b, '\n');
}

/* -- chosen by name -- */

static bool existing_matches(const char *pattern, const struct pt_def *def)
{
	char *full = pt_asprintf("%s:%s", def->group, def->event);
	bool yes = pt_text_glob(pattern, strchr(pattern, ':') ? full : def->event);

	free(full);
	return yes;
}

size_t pt_existing_show(const struct pt_dyn *d, char *const *patterns, size_t nr,
			const struct pt_target_opts *o, bool json, struct pt_buf *out)
{
	struct files fs = { .o = o };
	size_t shown = 0;

	for (size_t i = 0; i < d->nr; i++) {
		struct place l;
		bool wanted = nr == 0;

		for (size_t k = 0; k < nr && !wanted; k++)
			wanted = existing_matches(patterns[k], &d->defs[i]);
		if (!wanted)
			continue;
		shown++;
		existing_look(&fs, &d->defs[i], &l);
		(json ? existing_show_json : existing_show_text)(&d->defs[i], &l, out);
	}
	close_files(&fs);
	return shown;
}

static int remove_matching(struct pt_dyn *d, const char *pattern, void (*say)(void *, const char *),
			   void *ctx, struct pt_err *e)
{
	size_t removed = 0, left = 0, i = 0;
	bool denied = false;

	while (i < d->nr && !denied) {
		char *group, *event;

		if (!existing_matches(pattern, &d->defs[i])) {
			i++;
			continue;
		}
		group = pt_strdup(d->defs[i].group);
		event = pt_strdup(d->defs[i].event);
		/* ENOENT: somebody else has removed it */
		if (pt_dyn_remove(d, group, event, e) == 0 || e->sys == ENOENT) {
			removed++;
		} else if (e->sys == EACCES || e->sys == EPERM) {
			denied = true;
		} else {
			say(ctx, e->msg);
			left++;
			while (i < d->nr && pt_def_is(&d->defs[i], group, event))
				i++;
		}
		free(group);
		free(event);
	}
	if (denied)
		return -1;
	if (!removed && !left) {
		char *text = pt_asprintf("no probe matches %s", pattern);

		say(ctx, text);
		free(text);
	}
	return !removed || left;
}

int pt_existing_remove(struct pt_dyn *d, const char *names, void (*say)(void *, const char *),
		       void *ctx, struct pt_err *e)
{
	static const char between[] = " \t\n,";
	char *text = pt_strdup(names), *save = NULL, *one = strtok_r(text, between, &save);
	int rc = one ? 0 : PT_EXISTING_NO_NAME, left;

	for (; one && rc >= 0; one = strtok_r(NULL, between, &save)) {
		left = remove_matching(d, one, say, ctx, e);
		rc = left < 0 ? left : rc | left;
	}
	free(text);
	return rc;
}
