#include "event/sysnr.h"

#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { MAX_CALLS = 1024 };

struct pt_sysnr {
	uint32_t arch;			/* 0: unknown */
	struct { char *name; bool looked; } calls[MAX_CALLS];	/* found at their first use */
};

bool pt_sysnr_is_i386(const char *arch)
{
	return *arch == 'i' && !strcmp(arch + 1 + !!arch[1], "86");
}

struct pt_sysnr *pt_sysnr_new(const char *arch)
{
	struct pt_sysnr *s = pt_alloc(sizeof(*s));

	s->arch = !arch ? 0 : seccomp_arch_resolve_name(pt_sysnr_is_i386(arch) ? "x86" : arch);
	return s;
}

void pt_sysnr_free(struct pt_sysnr *s)
{
	for (size_t i = 0; s && i < MAX_CALLS; i++)
		free(s->calls[i].name);
	free(s);
}

const char *pt_sysnr_name(struct pt_sysnr *s, int64_t nr)
{
	if (!s->arch || nr < 0 || nr >= MAX_CALLS)
		return NULL;
	if (!s->calls[nr].looked)
		s->calls[nr].name = seccomp_syscall_resolve_num_arch(s->arch, (int)nr);
	s->calls[nr].looked = true;
	return s->calls[nr].name;
}

int64_t pt_sysnr_find(const struct pt_sysnr *s, const char *name)
{
	int nr = s->arch ? seccomp_syscall_resolve_name_arch(s->arch, name) : -1;
	uint64_t v;

	if (nr >= 0)		/* libseccomp has negative numbers for calls of other machines */
		return nr;
	return pt_num_u64(name, 0, 65535, &v, NULL) < 0 ? -1 : (int64_t)v;
}
