/* modifier.c - the letters behind the name of an event or group */
#include "event/name_priv.h"

#include <ctype.h>
#include <string.h>

#define MODIFIERS "ukhGHpPSDIWe"

bool name_all_modifiers(const char *s)
{
	return *s && !s[strspn(s, MODIFIERS)];
}

/* The first letter of a kind excludes the others of it; a group's letters add to the event's:
 * {cs:k,faults}:u counts cs in both. */
static void include(struct pt_event_spec *s, uint64_t fellows, uint64_t bit, bool chosen)
{
	s->attr.flags = (chosen ? s->attr.flags : s->attr.flags | fellows) & ~bit;
}

static bool modify_one(struct pt_event_spec *s, char m)
{
	const uint64_t rings = PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV;
	const uint64_t worlds = PT_ATTR_EXCLUDE_HOST | PT_ATTR_EXCLUDE_GUEST;

	switch (m) {
	case 'u': include(s, rings, PT_ATTR_EXCLUDE_USER, s->attr.flags & rings); break;
	case 'k': include(s, rings, PT_ATTR_EXCLUDE_KERNEL, s->attr.flags & rings); break;
	case 'h': include(s, rings, PT_ATTR_EXCLUDE_HV, s->attr.flags & rings); break;
	case 'G':
		include(s, worlds, PT_ATTR_EXCLUDE_GUEST, s->guest_chosen);
		s->guest_chosen = true;
		break;
	case 'H':
		include(s, worlds, PT_ATTR_EXCLUDE_HOST, s->guest_chosen);
		s->guest_chosen = true;
		break;
	case 'S': s->sample_read = true; break;
	case 'D': s->attr.flags |= PT_ATTR_PINNED; break;
	case 'I': s->attr.flags |= PT_ATTR_EXCLUDE_IDLE; break;
	case 'W': s->weak = true; break;
	case 'e': s->attr.flags |= PT_ATTR_EXCLUSIVE; break;
	default: return false;
	}
	return true;
}

int name_modify(struct pt_event_spec *s, const char *mods, size_t len, struct pt_blame *blame,
		struct pt_err *e)
{
	unsigned precise =
		(unsigned)((s->attr.flags & PT_ATTR_PRECISE_IP) >> PT_ATTR_PRECISE_IP_SHIFT);

	for (size_t i = 0; i < len; i++) {
		char m = mods[i];

		if (m == 'p' || m == 'P') {
			precise = m == 'P' ? 3 : precise + 1;
			if (!s->guest_chosen)
				s->attr.flags |= PT_ATTR_EXCLUDE_GUEST;
		} else if (!modify_one(s, m)) {
			if (blame)
				*blame = (struct pt_blame){ mods + i, 1 };
			return pt_err_set(e, "'%c' is no modifier (those are %s)",
					  isprint((unsigned char)m) ? m : '?', MODIFIERS);
		}
		if (precise > 3)
			return pt_err_set(e, "modifier p comes three times at most");
	}
	s->attr.flags = (s->attr.flags & ~PT_ATTR_PRECISE_IP) | (uint64_t)precise
									<< PT_ATTR_PRECISE_IP_SHIFT;
	return 0;
}
