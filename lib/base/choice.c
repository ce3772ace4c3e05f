#include "base/choice.h"

#include <stddef.h>
#include <string.h>

enum { COMPARED = 1024 };

static bool is_alias(const char *name)
{
	return !strncmp(name, "__ia32_", 7) || !strncmp(name, "__pi_", 5);
}

static size_t underscores(const char *s)
{
	size_t n = 0;

	while (n < COMPARED && s[n] == '_')
		n++;
	return n;
}

bool pt_choice_better(const struct pt_choice *a, const struct pt_choice *b)
{
	size_t of_a, of_b;

	if (a->sized != b->sized)
		return a->sized;
	if (a->weak != b->weak)
		return b->weak;
	if (a->global != b->global)
		return a->global;
	if (is_alias(a->name) != is_alias(b->name))
		return is_alias(b->name);
	of_a = underscores(a->name);
	of_b = underscores(b->name);
	if (of_a != of_b)
		return of_a < of_b;
	of_a = strnlen(a->name, COMPARED);
	of_b = strnlen(b->name, COMPARED);
	if (of_a != of_b)
		return of_a > of_b;
	return strncmp(a->name, b->name, COMPARED) < 0;
}
