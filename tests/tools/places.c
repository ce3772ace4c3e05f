/* places - the places of points, a line each: address, offset in the file, symbol, function, source line, and what they are.
 *
 * places [-a] [-v] FILE POINT...: -a each row of a line, -v as for variables (behind prologues); exit 1 when a point has none.
 * places -L FILE FUNC...: source lines; places -F FILE [PATTERN]: functions, -f: those of symbols alone. */
#include <stdio.h>
#include <string.h>

#include "probe/where/functions.h"
#include "probe/where/listing.h"

static void print(const struct pt_place *p)
{
	printf("%llx %llx %s+%llx %s %s:%u%s%s%s%s", (unsigned long long)p->vaddr, (unsigned long long)p->off, p->symbol ? p->symbol : "-", (unsigned long long)p->symbol_off,
	       p->func ? p->func : "-", p->file ? p->file : "?", p->line, p->entry ? " entry" : "", p->body ? " body" : "", p->inlined ? " inlined in " : "", p->inlined ? p->outer : "");
	printf("%s\n", p->ret ? " return" : "");
}

static int one(struct pt_target *t, const char *text, const struct pt_place_opts *o)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_places ps;
	struct pt_point p;
	size_t i;

	if (pt_point_parse(&p, text, &e) < 0) {
		printf("%s: %s\n", text, e.msg);
		return 1;
	}
	if (pt_places_find(&ps, t, &p, o, &e) < 0) {
		printf("%s: %s\n", text, e.msg);
		pt_point_deinit(&p);
		return 1;
	}
	printf("%s: %zu\n", text, ps.nr);
	if (ps.note)
		printf("note: %s\n", ps.note);
	for (i = 0; i < ps.nr; i++)
		print(&ps.v[i]);
	pt_places_deinit(&ps);
	pt_point_deinit(&p);
	return 0;
}

static int list(struct pt_target *t, const char *what)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_listing l;

	if (pt_listing_make(&l, t, what, &e) < 0) {
		printf("%s\n", e.msg);
		return 1;
	}
	if (l.note)
		printf("note: %s\n", l.note);
	pt_listing_print(&l, &b);
	fwrite(b.data, 1, b.len, stdout);
	pt_listing_deinit(&l);
	pt_buf_deinit(&b);
	return 0;
}

static int functions(struct pt_target *t, const char *pattern, bool inlined)
{
	struct pt_functions l;
	struct pt_function f;
	const char *at = NULL;

	pt_functions_list(&l, t, pattern, inlined);
	while (pt_functions_next(&l, &at, &f))
		printf("%.*s%s\n", (int)f.len, f.name, f.inlined ? " (inlined)" : "");
	pt_functions_deinit(&l);
	return 0;
}

int main(int argc, char **argv)
{
	struct pt_place_opts o = { .all = false };
	struct pt_err e = PT_ERR_INIT;
	struct pt_target t;
	int i = 1, rc = 0;
	char what = 0;

	for (; i < argc && argv[i][0] == '-'; i++) {
		o.all |= !strcmp(argv[i], "-a");
		o.variables |= !strcmp(argv[i], "-v");
		what = strchr("LFf", argv[i][1]) ? argv[i][1] : what;
	}
	if (i >= argc)
		return 2;
	if (pt_target_open(&t, argv[i], &(struct pt_target_opts){ .debuginfod = false }, &e) < 0) {
		fprintf(stderr, "places: %s\n", e.msg);
		return 1;
	}
	if (what && what != 'L')
		rc = functions(&t, argv[i + 1], what == 'F');
	while (++i < argc && (!what || what == 'L'))
		rc |= what ? list(&t, argv[i]) : one(&t, argv[i], &o);
	pt_target_deinit(&t);
	return rc;
}
