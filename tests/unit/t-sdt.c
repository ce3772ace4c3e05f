/* SDT markers: those of this very program, and damaged notes. */
#include "test.h"

#include <stdlib.h>

#include "elf/sdt.h"

#if __SIZEOF_POINTER__ == 8
#define WORD ".8byte "
#else
#define WORD ".4byte "
#endif
#define MARK(provider, name, args, sem) __asm__(                                                                         \
	".pushsection .note.stapsdt,\"\",%note\n.balign 4\n.4byte 8, 2f-1f, 3\n.asciz \"stapsdt\"\n"                     \
	"1: " WORD "0x1000, 0, " sem "\n.asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n2: .balign 4\n.popsection\n")
MARK("prog", "start", "-4@$1 8@$2", "0x5000");
__asm__(".pushsection .note.stapsdt,\"\",%note\n.balign 4\n.4byte 4, 4, 9\n.asciz \"GNU\"\n.4byte 7\n.popsection\n");	/* another's */
MARK("prog", "step", "", "0");
MARK("", "nameless", "", "0");
MARK("other", "end", "8@%rax", "0");

struct seen {
	struct pt_sdt v[8];
	size_t nr;
};

static void see(void *arg, const struct pt_sdt *sdt)
{
	struct seen *s = arg;

	if (s->nr < 8)
		s->v[s->nr] = *sdt;
	s->nr++;
}

TEST(own_markers)
{
	struct pt_object *o;
	struct pt_err e = PT_ERR_INIT;
	struct seen s = { .nr = 0 };

	if (pt_object_open(&o, "/proc/self/exe", &e) < 0)
		FAIL("%s", e.msg);
	CHECK_INT(pt_sdt_each(o, see, &s), 3);
	CHECK_INT(s.nr, 3);
	CHECK_STR(s.v[0].provider, "prog");
	CHECK_STR(s.v[0].name, "start");
	CHECK_STR(s.v[0].args, "-4@$1 8@$2");
	CHECK_INT(s.v[0].vaddr, 0x1000);
	CHECK_INT(s.v[0].semaphore, 0x5000);
	CHECK_STR(s.v[1].name, "step");
	CHECK_STR(s.v[1].args, "");
	CHECK_INT(s.v[1].semaphore, 0);
	CHECK_STR(s.v[2].provider, "other");
	pt_object_put(o);
}

/* The notes of this program, cut anywhere, with the section's header telling the truth or not. */
TEST(cut_anywhere)
{
	struct pt_object *o;
	struct pt_err e = PT_ERR_INIT;
	struct pt_section notes;
	struct seen s;

	if (pt_object_open(&o, "/proc/self/exe", &e) < 0 || !pt_object_section(o, ".note.stapsdt", &notes))
		FAIL("%s", e.msg);
	for (size_t len = 0; len < notes.len_bytes; len++) {
		struct pt_notes n = pt_notes(pt_test_guarded(notes.data, len), len, 4, false);

		s.nr = 0;
		CHECK(pt_sdt_notes(n, o->is64, 0, see, &s) <= 3);
	}
	s.nr = 0;
	CHECK_INT(pt_sdt_notes(pt_notes(notes.data, notes.len_bytes, 4, false), o->is64, 0x100, see, &s), 3);
	CHECK_INT(s.v[0].vaddr, 0x1000);	/* a note without a base is not moved */
	CHECK_INT(pt_sdt_notes(pt_notes(notes.data, notes.len_bytes, 4, true), o->is64, 0, see, &s), 0);
	pt_object_put(o);
}
