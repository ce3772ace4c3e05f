/* vars: variables at addresses of a program, and how the kernel fetches them, without the rest of pt-probe.
 *
 *     vars FILE < lines        each line: ADDRESS [FUNCTION [ARG...]] in hexadecimal; FUNCTION -: the innermost. Without ARG all variables.
 *
 * For each: "ADDRESS FUNCTION ok NAME FETCH TYPE" or "ADDRESS FUNCTION no NAME REASON", separated by tabs; then "ADDRESS FUNCTION at OFFSET" of the place in the file. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/object.h"
#include "vars.h"

static void show(const char *addr, const char *func, const struct pt_vars *vars)
{
	size_t i;

	for (i = 0; i < vars->nr; i++)
		printf("%s\t%s\t%s\t%s\t%s\t%s\n", addr, func, vars->v[i].fetch ? "ok" : "no", vars->v[i].name, vars->v[i].fetch ? vars->v[i].fetch : vars->v[i].why,
		       vars->v[i].type_name ? vars->v[i].type_name : "?");
}

static void place(Dwarf *dw, struct pt_object *o, char *line)
{
	struct vars_place p;
	struct pt_vars vars = PT_VARS_INIT, left = PT_VARS_INIT;
	struct pt_err e = PT_ERR_INIT;
	char *save = NULL, *addr = strtok_r(line, " \n", &save), *func = strtok_r(NULL, " \n", &save), *arg = strtok_r(NULL, " \n", &save);

	if (!addr)
		return;
	if (!func)
		func = (char *)"-";
	if (!vars_at(&p, dw, o, strtoull(addr, NULL, 16), strcmp(func, "-") ? func : NULL)) {
		printf("%s\t%s\tnowhere\n", addr, func);
		return;
	}
	if (!arg)
		pt_vars_list(&vars, &p.scope, &(struct pt_vars_list_opts){ .globals = false });
	for (; arg; arg = strtok_r(NULL, " \n", &save))
		if (pt_vars_add(&vars, &p.scope, arg, &left, &e) < 0) {
			char *nl;

			while ((nl = strchr(e.msg, '\n')))
				*nl = '|';
			printf("%s\t%s\tno\t%s\t%s\t?\n", addr, func, arg, e.msg);
		}
	show(addr, func, &vars);
	show(addr, func, &left);
	printf("%s\t%s\tat\t0x%llx\n", addr, func, (unsigned long long)p.scope.file_off);
	pt_vars_deinit(&vars);
	pt_vars_deinit(&left);
}

int main(int argc, char **argv)
{
	struct pt_object *o;
	struct pt_err e = PT_ERR_INIT;
	Dwarf *dw;
	char line[4096];
	int fd;

	if (argc != 2 || pt_object_open(&o, argv[1], &e) < 0) {
		fprintf(stderr, "vars: %s\n", argc == 2 ? e.msg : "usage: vars FILE < lines");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	dw = dwarf_begin(fd, DWARF_C_READ);
	if (!dw) {
		fprintf(stderr, "vars: %s: %s\n", argv[1], dwarf_errmsg(-1));
		return 1;
	}
	while (fgets(line, sizeof(line), stdin))
		place(dw, o, line);
	dwarf_end(dw);
	pt_object_put(o);
	return 0;
}
