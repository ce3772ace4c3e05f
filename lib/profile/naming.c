#include "profile/naming.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"

struct pt_naming {
	struct pt_frames *frames;
	bool each_address, paths;
	struct pt_names *names;
	struct pt_buf text;
	struct pt_profile_frame *out;
	size_t cap;
};

struct pt_naming *pt_naming_new(struct pt_frames *frames, bool each_address, bool paths)
{
	struct pt_naming *n = pt_alloc(sizeof(*n));

	n->frames = frames;
	n->each_address = each_address;
	n->paths = paths;
	n->names = pt_names_new();
	return n;
}

void pt_naming_free(struct pt_naming *n)
{
	if (!n)
		return;
	pt_names_free(n->names);
	pt_buf_deinit(&n->text);
	free(n->out);
	free(n);
}

/* Interned, since files of several folders may have one name. */
static const char *naming_base_name(struct pt_naming *n, const char *path)
{
	return pt_names_add(n->names, pt_text_base(path), SIZE_MAX);
}

static const char *dso_of(struct pt_naming *n, const struct pt_named_frame *x)
{
	if (x->kind == PT_FRAME_JIT)
		return "[jit]";
	if (!x->module)
		return "[unknown]";
	if (!strcmp(x->module, "//anon"))
		return "[anon]";
	return *x->module == '[' || n->paths ? x->module : naming_base_name(n, x->module);
}

static const char *name_unknown(struct pt_naming *n, const struct pt_place_at *place,
				const char *dso)
{
	struct pt_frames_address a = pt_frames_address(place);

	dso = *dso == '[' ? dso : naming_base_name(n, dso);

	if (*dso == '[' && !a.has_entry && !n->each_address)
		return dso;
	pt_buf_clear(&n->text);
	if (n->each_address)
		pt_buf_printf(&n->text, "0x%016llx", (unsigned long long)a.vaddr);
	else if (a.has_entry)
		pt_buf_printf(&n->text, "%s+0x%llx", dso, (unsigned long long)a.entry);
	else
		pt_buf_printf(&n->text, "[%s]", dso);
	return pt_names_add(n->names, n->text.data, n->text.len);
}

size_t pt_naming_place(void *ctx, const void *place, const struct pt_profile_frame **frames)
{
	struct pt_naming *n = ctx;
	const struct pt_named_frame *v;
	size_t nr = pt_frames_name(n->frames, place, &v);
	char level = v[nr - 1].kind == PT_FRAME_KERNEL ? 'k' : '.';

	if (nr > n->cap)
		n->out = pt_realloc(n->out, n->cap = nr, sizeof(*n->out));
	for (size_t i = 0; i < nr; i++) {
		const char *dso = dso_of(n, &v[i]);

		n->out[i] = (struct pt_profile_frame){
			.dso = dso,
			.sym = v[i].name ? v[i].name : name_unknown(n, place, dso),
			.file = v[i].file ? naming_base_name(n, v[i].file) : NULL,
			.line = v[i].line,
			.level = level,
			.nameless = !v[i].name && !pt_frames_has_file(place),
		};
	}
	*frames = n->out;
	return nr;
}

size_t pt_naming_text(void *ctx, const void *place, const struct pt_profile_frame **frames)
{
	struct pt_naming *n = ctx;
	const char *text = place;
	size_t len = strlen(text);
	char mark = 0;

	if (len > 4 && !strncmp(text + len - 4, "_[", 2) && text[len - 1] == ']' &&
	    strchr("kji", text[len - 2])) {
		mark = text[len - 2];
		len -= 4;
	}
	if (!n->cap)
		n->out = pt_realloc(n->out, n->cap = 1, sizeof(*n->out));
	n->out[0] = (struct pt_profile_frame){ .dso = mark == 'j' ? "[jit]" : "[unknown]",
					       .sym = pt_names_add(n->names, text, len),
					       .level = mark == 'k' ? 'k' : 0 };
	*frames = n->out;
	return 1;
}
