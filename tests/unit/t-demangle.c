/* C++ names by pt's own reader: what it answers is what libiberty answers, byte for byte. */
#include "test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "code/demangle.h"
#include "code/names.h"
#include "names.h"

static struct pt_buf ours, theirs;

static enum names_answer compare(const char *name, bool params)
{
	enum names_answer a = names_compare(name, params, &ours, &theirs);

	if (a == NAMES_DIFFERENT)
		FAIL("%s: %s, libiberty: %s", name, pt_buf_str(&ours), pt_buf_str(&theirs));
	return a;
}

/* One of each part of the grammar; each is answered, in both forms. */
TEST(grammar)
{
	static const char *const names[] = {
		"_Z3foov", "_ZL3foov", "_ZN1A1BC1ERKS0_", "_ZN1AD0Ev", "_ZNK1A1fEv", "_ZNVK1A1fEv", "_ZNKR1A1fEv", "_ZNO1A1fEi", "_ZN12_GLOBAL__N_13fooEv", "_ZSt4cout",
		"_ZNSsC1Ev", "_ZNSs6appendEv", "_ZNSaIcEC1Ev", "_ZNSoD1Ev", "_ZNSbIwSt11char_traitsIwESaIwEEC1Ev", "_Z1fSsSaIcESiSoSdS_",
		"_ZN1AlsIiEEvi", "_ZN1AgtISt6vectorIiEEEvi", "_ZN1AcviEv", "_ZN1AcvPFivEEv", "_Zli2_xy", "_ZNK1AixEm", "_ZN1AnwEm", "_ZN1AdaEPv", "_ZgtRK1A",
		"_ZN1AB5cxx11C1B3fooEv", "_ZN1A3fooB5cxx11Ev", "_ZN1AUt_1bES_S0_S1_", "_ZN1AUlvE_1bES_S0_",
		"_ZZ3foovE3bar_0", "_ZZ3foovE3bar__10_", "_ZZ3foovEs_0", "_ZZ3foovEN3barC1Ev", "_ZZZ3foovENKUlvE_clEvENKUlvE0_clEv", "_ZZN1A1fIiEEvvE1x",
		"_ZZ3fooIiEvT_ENKUlT_E_clIiEEDaT_", "_ZZN1A1fEvENKUlOT_DpOT0_E_clIiEEDaT_", "_ZZ1fvENKUlP1AE_clES_S0_",
		"_Z3fooIJiicEEvDpT_", "_Z3fooIJEEvDpT_", "_Z3fooIJEEviDpT_i", "_Z3fooIJEEvDpRKT_St5tupleIJDpT_iEE", "_Z3fooIJicEEvDpRKT_DpS2_S3_", "_ZSt1fIiJicEJfEEvDpSt5tupleIJT_T0_EE",
		"_Z3fooIJEEvSt5tupleIiJEE", "_ZN1AIiN1BI1CJEEEJEE1fEv",
		"_Z3fooIRiEvT_RS1_OS1_KS1_RKS1_", "_Z3fooIOiEvT_RS1_OS1_KS1_RKS1_", "_Z3fooIKiEvT_RS1_OS1_KS1_RKS1_", "_Z3fooPFvvEPFviES0_PS1_RKS1_PS_",
		"_Z3fooM1AKFvvES1_S0_", "_Z1fPM1AiRKS0_M1APFvvEM1AM1Bi", "_Z1fM1AIiEFvvES_S0_S1_S2_", "_Z1fMSt1AIiEiS_S0_", "_Z1fI1AEvMT_IiEiS1_S2_", "_Z3fooRA10_KcA3_A4_iPA3_A4_i", "_Z3fooIA6_cEvRKT_OT_RS0_S2_", "_Z3fooIFviEEvRT_RKS1_PS1_", "_Z3fooIPFviEEvRT_RKS1_PS1_",
		"_Z3fooILb1ELi5ELin5ELj5ELl5ELm5ELx5ELy5ELs5ELc97ELN3foo3barE3ELPKc0ELDn0EEvv", "_Z1fDnDiDsDuDa", "_Z1fDv4_fPS_", "_Z1fabcdefghijlmnostwxyz",
		"_Z3fooIvEvT_", "_Z3fooI3barIcEET_IiEv", "_ZTV1A", "_ZTIPFvvE", "_ZTSZ3foovEUlvE_", "_ZTT1A", "_ZTCN1A1CE16_NS_1BE", "_ZThn16_N1A1fEi", "_ZTv0_n24_NK1A1fEi", "_ZTchn16_hn16_N1A1fEi",
		"_ZGVZN1A1fEvE1x", "_ZTHN1A1xE", "_ZTWN1A1xE", "_ZGTtN1A1fEv",
		"_Z1fIXadL_Z3foovEEEvv", "_Z1fIXadL_ZN1A3fooEvEEEvv", "_Z1fIXadL_ZNK1A3fooIiEEivEEEv1AIXT_EE", "_Z1fIL_ZN1A3fooIiEEivEEvv", "_Z1fIJLm3ELm2EEEv1AIJXspT_EiEE", "_ZN1A1xMUlvE_clES_S0_S1_",
		"_ZSt1fIZ1gIiEvT_EUlS1_E_EvT_", "_ZN1AUt_D1Ev", "_Z3fooIiEvT_.isra.0", "_Z3fooIiEvT_.constprop.0.cold", "_Z3foov.lto_priv.0.12",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (compare(names[i], false) != NAMES_SAME || compare(names[i], true) != NAMES_SAME)
			FAIL("%s is left to libiberty", names[i]);
}

/* Where the library's answer is odd it is asked: what is in a conversion to a pointer to a function, arguments of what has no name. */
TEST(left)
{
	static const char *const names[] = {
		"_Z1fPN1AcvPFvvE1BE", "_Z1fN1AcvPFvvE1BEPS2_", "_Z1fPZN1AcvPFvvEEvE1B", "_Z1fRKN1AcvM1BFvvE1CE", "_Z1fR1CIN1AcvRA3_i1BEE", "_ZUt0_IiE1fv",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		compare(names[i], false);
		compare(names[i], true);
	}
}

/* Cut anywhere, and with any one byte changed: never another answer. The inputs end at an unmapped page. */
TEST(damaged)
{
	static const char good[] = "_ZNSt8functionIFviEEC2IZN1aIJicEE3fooIPKcEEvT_DpRKT0_EUlOT_DpT0_E_vvEES5_RA3_KcM1bFvS6_E";
	static const char with[] = "_EISTJDpPRKFAMNZLUCB01v";
	char s[sizeof(good)];
	size_t i, k;

	for (i = 4; i < sizeof(good) - 1; i++) {
		char *cut;

		memcpy(s, good, i);
		s[i] = i & 2 ? '@' : '\0';
		cut = pt_test_guarded(s, i + 1);
		pt_buf_clear(&ours);
		pt_demangle_fast(cut, cut + i, i & 1, &ours);
		s[i] = '\0';
		compare(s, false);
		compare(s, true);
		memcpy(s, good, sizeof(good));
		for (k = 0; k < sizeof(with) - 1; k++) {
			s[i] = with[k];
			compare(s, false);
			compare(s, true);
		}
	}
}

/* The substitution with that number, from 0. */
static void add_sub(char *s, unsigned nr)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (nr)
		sprintf(s + strlen(s), "S%c_", digits[nr - 1]);
	else
		strcat(s, "S_");
}

/* A function of A<int> and `times` types of which each holds the one before twice; the last is substitution `times` + 1. */
static void doubling(char *s, unsigned times)
{
	unsigned i;

	strcpy(s, "_Z1fIJEEv1AIiE");
	for (i = 0; i < times; i++) {
		add_sub(s, 1);
		strcat(s, "I");
		add_sub(s, i + 2);
		add_sub(s, i + 2);
		strcat(s, "E");
	}
}

/* What doubles ends at the limit of the text, what nests at the depth, what is printed and taken back at what may be lost. */
TEST(hostile)
{
	char *s = malloc(8192);
	unsigned i;

	doubling(s, 9);
	CHECK_INT(compare(s, true), NAMES_SAME);
	CHECK(ours.len > 8000);
	doubling(s, 25);
	pt_buf_clear(&ours);
	CHECK(!pt_demangle_fast(s, s + strlen(s), true, &ours));
	CHECK_INT(ours.len, 0);
	doubling(s, 9);
	for (i = 0; i < 100; i++)
		strcat(s, i & 1 ? "MSA_i" : "DpSA_IT_E");
	compare(s, true);
	strcpy(s, "_Z1f");
	for (i = 0; i < 300; i++)
		strcat(s, i & 1 ? "P" : "1aI");
	compare(s, true);
	strcpy(s, "_Z1f");
	for (i = 0; i < 900; i++)
		strcat(s, "F");
	compare(s, true);
	pt_buf_clear(&ours);
	CHECK(!pt_demangle_fast(s, s + strlen(s), true, &ours));
	CHECK_INT(ours.len, 0);
	free(s);
}

/* Into a buffer that holds something: that stays, and of what fails nothing is left. */
TEST(adds)
{
	static const char name[] = "_ZN1A1BC1ERKS0_", bad[] = "_ZN1A1BC1ERKS9_";
	struct pt_buf b = PT_BUF_INIT;

	pt_buf_puts(&b, "> ");
	CHECK(pt_demangle_fast(name, name + strlen(name), true, &b));
	CHECK_STR(pt_buf_str(&b), "> A::B::B(A::B const&)");
	CHECK(!pt_demangle_fast(bad, bad + strlen(bad), true, &b));
	CHECK_STR(pt_buf_str(&b), "> A::B::B(A::B const&)");
	pt_buf_deinit(&b);
}

/* All that the C++ library of this machine exports. */
TEST(library)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	size_t nr = 0, left = 0, i, k;
	struct link_map *map;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf *elf;
	int fd;

	if (!lib)
		SKIP("no libstdc++.so.6 here");
	CHECK(dlinfo(lib, RTLD_DI_LINKMAP, &map) == 0);
	fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	CHECK(fd >= 0 && elf);
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM || !(data = elf_getdata(scn, NULL)))
			continue;
		for (i = 0; gelf_getsym(data, (int)i, &sym); i++) {
			const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);

			if (!name || strncmp(name, "_Z", 2))
				continue;
			for (k = 0; k < 2; k++, nr++)
				left += compare(name, k) == NAMES_LEFT;
		}
	}
	elf_end(elf);
	close(fd);
	CHECK(nr > 4000);
	if (left * 50 > nr)
		FAIL("%zu of %zu names are left to libiberty", left, nr);
}
