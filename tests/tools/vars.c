/* vars: variables at addresses of a program, and how the kernel fetches them, without the rest of pt-probe.
 *
 *     vars [-p] FILE < lines   each line: ADDRESS [FUNCTION [ARG...]] in hexadecimal; FUNCTION -: the innermost. Without ARG all variables.
 *
 * -p: places and split units as pt-probe finds them; then FUNCTION is not looked at.
 * For each: "ADDRESS FUNCTION ok NAME FETCH TYPE" or "ADDRESS FUNCTION no NAME REASON", separated by tabs; then "ADDRESS FUNCTION at OFFSET" of the place in the file. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/object.h"
#include "probe/make_priv.h"
#include "vars.h"

static void show(const char *addr, const char *func, const struct pt_vars *vars)
{
	size_t i;

	for (i = 0; i < vars->nr; i++)
		printf("%s\t%s\t%s\t%s\t%s\t%s\n", addr, func, vars->v[i].fetch ? "ok" : "no", vars->v[i].name, vars->v[i].fetch ? vars->v[i].fetch : vars->v[i].why,
		       vars->v[i].type_name ? vars->v[i].type_name : "?");
}

static void ask(const struct pt_var_scope *s, const char *addr, const char *func, char *arg, char **save)
{
	struct pt_vars vars = PT_VARS_INIT, left = PT_VARS_INIT;
	struct pt_err e = PT_ERR_INIT;

	if (!arg)
		pt_vars_list(&vars, s, PT_VARS_LOCAL);
	for (; arg; arg = strtok_r(NULL, " \n", save))
		if (pt_vars_add(&vars, s, arg, &left, &e) < 0) {
			char *nl;

			while ((nl = strchr(e.msg, '\n')))
				*nl = '|';
			printf("%s\t%s\tno\t%s\t%s\t?\n", addr, func, arg, e.msg);
		}
	show(addr, func, &vars);
	show(addr, func, &left);
	printf("%s\t%s\tat\t0x%llx\n", addr, func, (unsigned long long)s->file_off);
	pt_vars_deinit(&vars);
	pt_vars_deinit(&left);
}

/* As pt-probe does it. */
static bool by_target(struct pt_target *t, const char *addr, char *arg, char **save)
{
	struct pt_places ps = { .nr = 0 };
	Dwarf_Die dies[PT_PLACE_SCOPES];
	struct pt_var_scope s;
	struct pt_point p;
	struct pt_err e = PT_ERR_INIT;
	char text[32];
	bool found;

	snprintf(text, sizeof(text), "0x%llx", strtoull(addr, NULL, 16));
	if (pt_point_parse(&p, text, &e) < 0)
		return false;
	found = !pt_places_find(&ps, t, &p, &(struct pt_place_opts){ .variables = true }, &e) && ps.nr && !make_scope(t, &ps.v[ps.nr - 1], dies, &s, &e);
	if (found)
		ask(&s, addr, "-", arg, save);
	else
		fprintf(stderr, "vars: %s\n", e.msg);
	pt_places_deinit(&ps);
	pt_point_deinit(&p);
	return found;
}

static void place(struct pt_target *t, Dwarf *dw, struct pt_object *o, char *line)
{
	struct vars_place p;
	char *save = NULL, *addr = strtok_r(line, " \n", &save), *func = strtok_r(NULL, " \n", &save), *arg = strtok_r(NULL, " \n", &save);

	if (!addr)
		return;
	if (!func)
		func = (char *)"-";
	if (t ? by_target(t, addr, arg, &save) : vars_at(&p, dw, o, strtoull(addr, NULL, 16), strcmp(func, "-") ? func : NULL)) {
		if (!t)
			ask(&p.scope, addr, func, arg, &save);
	} else {
		printf("%s\t%s\tnowhere\n", addr, func);
	}
}

static int all_by_target(const char *file)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_target t;
	char line[4096];

	if (pt_target_open(&t, file, &(struct pt_target_opts){ .debuginfod = false }, &e) < 0) {
		fprintf(stderr, "vars: %s\n", e.msg);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		pt_target_ask(&t);
		place(&t, NULL, NULL, line);
	}
	pt_target_deinit(&t);
	return 0;
}

int main(int argc, char **argv)
{
	struct pt_object *o;
	struct pt_err e = PT_ERR_INIT;
	Dwarf *dw;
	char line[4096];
	int fd;

	if (argc == 3 && !strcmp(argv[1], "-p"))
		return all_by_target(argv[2]);
	if (argc != 2 || pt_object_open(&o, argv[1], &e) < 0) {
		fprintf(stderr, "vars: %s\n", argc == 2 ? e.msg : "usage: vars [-p] FILE < lines");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	dw = dwarf_begin(fd, DWARF_C_READ);
	if (!dw) {
		fprintf(stderr, "vars: %s: %s\n", argv[1], dwarf_errmsg(-1));
		return 1;
	}
	while (fgets(line, sizeof(line), stdin))
		place(NULL, dw, o, line);
	dwarf_end(dw);
	pt_object_put(o);
	return 0;
}
