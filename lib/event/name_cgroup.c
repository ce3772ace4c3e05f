/* name_cgroup.c - events that count in one control group each */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/name_priv.h"

int pt_event_list_cgroups(struct pt_event_list *l, const char *names, struct pt_err *e)
{
	size_t i, len;

	for (i = 0;; i++, names += len + 1) {
		len = strcspn(names, ",");
		if (i == l->nr)
			return pt_err_set(e, "more control groups than events (%zu)", l->nr);
		free(l->specs[i].cgroup);
		l->specs[i].cgroup = len ? pt_strndup(names, len) : NULL;
		if (!names[len])
			break;
	}
	for (i = 0; i < l->nr; i++) {
		const struct pt_event_spec *s = &l->specs[i], *lead = &l->specs[s->leader];

		if (!s->cgroup != !lead->cgroup || (s->cgroup && strcmp(s->cgroup, lead->cgroup)))
			return pt_err_set(
				e, "%s is in a group with %s: both count in the same control group",
				s->name, lead->name);
	}
	return 0;
}

/* A copy of the event for another control group. */
static struct pt_event_spec name_cgroup_copy(const struct pt_event_spec *from, size_t shift,
					     uint32_t origins, const char *cgroup)
{
	struct pt_event_spec s = *from;

	s.name = pt_strdup(from->name);
	s.filter = pt_strdup(from->filter);
	s.cgroup = pt_strdup(cgroup);
	s.leader += (int)shift;
	s.origin += origins;
	return s;
}

int pt_event_list_each_cgroup(struct pt_event_list *l, const struct pt_cgroups *groups,
			      struct pt_err *e)
{
	size_t nr = l->nr, nr_groups = groups->nr, i, k;
	uint32_t origins = l->next_origin;

	if (nr_groups > PT_NAME_MAX_EVENTS / PT_MAX(nr, 1))
		return pt_err_set(e, "%zu events in %zu control groups: too many", nr, nr_groups);
	if (nr * nr_groups > l->cap) {
		l->cap = nr * nr_groups;
		l->specs = pt_realloc(l->specs, l->cap, sizeof(*l->specs));
	}
	for (i = 0; i < nr_groups; i++) {
		for (k = 0; k < nr; k++) {
			if (i)
				l->specs[l->nr++] =
					name_cgroup_copy(&l->specs[k], i * nr,
							 (uint32_t)i * origins, groups->names[i]);
			else
				l->specs[k].cgroup = pt_strdup(groups->names[i]);
		}
	}
	l->next_origin = (uint32_t)nr_groups * origins;
	return 0;
}
