/* modifier.c - the letters behind the name of an event or group */
#include "event/name_priv.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

#define MODIFIERS "ukhGHpPSDIWe"

bool name_all_modifiers(const char *s)
{
	return *s && !s[strspn(s, MODIFIERS)];
}

#define RINGS (PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV)
#define WORLDS (PT_ATTR_EXCLUDE_HOST | PT_ATTR_EXCLUDE_GUEST)

/* Letters that include one of several sides, and those that set a flag (`sides` 0). */
static const struct { char letter; uint64_t sides, flag; } letters[] = {
	{ 'u', RINGS, PT_ATTR_EXCLUDE_USER },
	{ 'k', RINGS, PT_ATTR_EXCLUDE_KERNEL },
	{ 'h', RINGS, PT_ATTR_EXCLUDE_HV },
	{ 'G', WORLDS, PT_ATTR_EXCLUDE_GUEST },
	{ 'H', WORLDS, PT_ATTR_EXCLUDE_HOST },
	{ 'D', 0, PT_ATTR_PINNED },
	{ 'I', 0, PT_ATTR_EXCLUDE_IDLE },
	{ 'e', 0, PT_ATTR_EXCLUSIVE },
};

/* The first letter of a kind excludes the other sides; a group's letters add to the event's:
 * {cs:k,faults}:u counts cs in both. */
static bool modify_one(struct pt_event_spec *s, char m)
{
	uint64_t *flags = &s->attr.flags;

	s->sample_read |= m == 'S';
	s->weak |= m == 'W';
	for (size_t i = 0; i < PT_NR(letters); i++) {
		if (letters[i].letter != m)
			continue;
		if (!letters[i].sides)
			*flags |= letters[i].flag;
		else if (letters[i].sides == RINGS ? *flags & RINGS : s->guest_chosen)
			*flags &= ~letters[i].flag;
		else
			*flags = (*flags | letters[i].sides) & ~letters[i].flag;
		s->guest_chosen |= letters[i].sides == WORLDS;
		return true;
	}
	return m == 'S' || m == 'W';
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
