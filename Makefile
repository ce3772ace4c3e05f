# make            the tools, into build/bin
# make demo       install what is missing, build, run the main workflows on real events, pictures in out/
# make check      install what is missing, build plain and sanitized, run the tests (make check-slow: the rest)
# make check-vmlinux   probes by the kernel's own debug information, 280 MB to fetch (check-slow leaves them out unless it is there)
# make bench      pt against its peers on the same recordings, as ratios
# make fuzz       fuzz the parsers for FUZZ_SECONDS each
# make install    DESTDIR= PREFIX=/usr/local
# make deb, rpm, static    packages, into build/packages (scripts/package)
#
# SAN=1 B=build/san: the same with ASan and UBSan. A tool is a file cmd/pt-NAME.c, a test is a file under tests/: nothing to list here.

B ?= build
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
VERSION := 0.1.0

PKG_CONFIG ?= pkg-config
# STATIC=1: tools that run without any library of the machine. What has no archive (.a) here is left out, and so is what would
# be loaded while they run: vendors' names of events, the client of debuginfod, name services.
ifdef STATIC
PKG_CONFIG += --static
LDFLAGS += -static -Wl,--undefined=dlopen	# lib/base/noload.c
archive = $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a))
endif
# Built without where it is not installed: a second unwinder (pt-stack --second-opinion).
HAVE_LIBUNWIND := $(shell $(PKG_CONFIG) --exists libunwind-generic 2>/dev/null && echo libunwind-generic)
# The same: sections of debug information are unpacked by zlib then, in twice the time.
HAVE_LIBDEFLATE := $(shell $(PKG_CONFIG) --exists libdeflate 2>/dev/null && echo libdeflate)
# The same: x86 instructions are read by objdump then (no pkg-config).
ifneq ($(if $(STATIC),$(call archive,Zydis),any),)
ifneq ($(shell printf '\043include <Zydis/Zydis.h>\n' | $(CC) $(CFLAGS) -E - > /dev/null 2>&1 && echo yes),)
ZYDIS_CFLAGS := -DPT_WITH_ZYDIS
ZYDIS_LIBS := -lZydis $(if $(STATIC),-lZycore)
endif
endif
# The same: pt-top prints text alone then.
HAVE_NCURSES := $(shell $(PKG_CONFIG) --exists ncursesw 2>/dev/null && echo ncursesw)
# The same: pt-convert writes neither pprof nor Perfetto files then.
HAVE_PROTOBUF := $(shell command -v protoc-c > /dev/null && $(PKG_CONFIG) --exists libprotobuf-c 2>/dev/null && echo libprotobuf-c)
PKGS := libdw libelf libbpf libtracefs libtraceevent libzstd liblzma libseccomp libxxhash zlib $(HAVE_LIBUNWIND) $(HAVE_LIBDEFLATE) $(HAVE_NCURSES) $(HAVE_PROTOBUF)
# One by one: where one of them is missing the others' flags are still there, and the compiler names what is not.
PKG_CFLAGS := $(shell for p in $(PKGS); do $(PKG_CONFIG) --cflags $$p; done 2>/dev/null | sed 's/-I/-isystem /g')
PKG_LIBS := $(shell for p in $(PKGS); do $(PKG_CONFIG) --libs $$p; done 2>/dev/null)

# Vendors' names of events: loaded when needed, not linked; it has no pkg-config.
ifndef STATIC
ifneq ($(shell printf '\043include <perfmon/pfmlib_perf_event.h>\n' | $(CC) $(CFLAGS) -E - > /dev/null 2>&1 && echo yes),)
PFM_CFLAGS := -DPT_HAVE_PFM
endif
endif

CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wwrite-strings
ALL_CFLAGS := -std=gnu11 $(WARN) -D_GNU_SOURCE -DPT_VERSION='"$(VERSION)"' -Ilib -I$(B)/gen -fno-strict-aliasing -fno-common -pthread -MMD -MP $(PKG_CFLAGS) $(if $(HAVE_LIBUNWIND),-DPT_WITH_LIBUNWIND) $(if $(HAVE_LIBDEFLATE),-DPT_WITH_LIBDEFLATE) $(if $(HAVE_NCURSES),-DPT_WITH_NCURSES) $(if $(HAVE_PROTOBUF),-DPT_WITH_PROTOBUF) $(PFM_CFLAGS) $(ZYDIS_CFLAGS) $(if $(STATIC),-DPT_STATIC) $(CPPFLAGS) $(CFLAGS)
LDLIBS := -Wl,--as-needed $(PKG_LIBS) $(ZYDIS_LIBS) -liberty -lm -ldl -pthread
ifdef SAN
ALL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1
# A process that starts moves nothing then, and leak detection reads through one sanitizer's tables, not two: half of its time.
LDFLAGS += -fsanitize=address,undefined -no-pie $(if $(findstring clang,$(CC)),,-static-libubsan)
endif
# Fuzz entries with libFuzzer (clang's), instead of a main() that runs the corpus once.
ifdef LIBFUZZER
ALL_CFLAGS += -fsanitize=fuzzer-no-link -DPT_LIBFUZZER
$(B)/tests/fuzz/%: LDFLAGS += -fsanitize=fuzzer
endif

TOOLS := $(patsubst cmd/%.c,%,$(wildcard cmd/pt*.c))
LIB_C := $(wildcard lib/*/*.c lib/*/*/*.c)
PROTO := $(if $(HAVE_PROTOBUF),$(patsubst lib/export/%.proto,%,$(wildcard lib/export/*.proto)))
LIB_O := $(LIB_C:%.c=$(B)/%.o) $(PROTO:%=$(B)/gen/%.pb-c.o)
EMBED := $(wildcard lib/draw/*.js lib/draw/*.css lib/cli/*.py) lib/syscall/spec.def
GEN := $(foreach file,$(EMBED),$(B)/gen/$(notdir $(file)).h)
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/t-*.c))
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/tests/fuzz/%,$(wildcard tests/fuzz/fuzz-*.c))
TEST_TOOLS := $(patsubst tests/tools/%.c,$(B)/tests/tools/%,$(wildcard tests/tools/*.c))
TEST_LIB_O := $(patsubst %.c,$(B)/%.o,$(wildcard tests/lib/*.c))
# test.c brings the main of unit tests; of the rest of tests/lib/ tools and fuzz entries take what they use.
NO_MAIN_O := $(filter-out $(B)/tests/lib/test.o,$(TEST_LIB_O))

Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)	$(2)';)

all: $(TOOLS:%=$(B)/bin/%)

# As make would rather have it: a file that is half written is no file.
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all tests fuzz-entries demo check check-slow check-vmlinux bench fuzz install deb rpm static clean deps

$(B)/bin/%: $(B)/cmd/%.o $(B)/libpt.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/libpt.a: $(LIB_O)
	$(call say,AR,$@)rm -f $@ && $(AR) rcsD $@ $^

$(B)/%.o: %.c $(GEN)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/tests/%.o: ALL_CFLAGS += -Itests/lib
# Of tests the compiler takes longer than they do.
$(B)/tests/unit/%.o $(B)/tests/fuzz/%.o $(B)/tests/lib/%.o: ALL_CFLAGS += -O0
# They look at themselves, debug information included.
$(B)/tests/unit/t-points.o $(B)/tests/unit/t-functions.o: ALL_CFLAGS += -O2 -g

vpath %.js lib/draw
vpath %.css lib/draw
vpath %.py lib/cli
vpath %.def lib/syscall
$(B)/gen/%.h: % scripts/embed
	@mkdir -p $(@D)
	$(call say,EMBED,$@)scripts/embed $< > $@

# Names of flags, from the headers of this machine.
$(B)/gen/flags.def.h: lib/syscall/flags.def lib/syscall/flags.c scripts/syscall-flags
	@mkdir -p $(@D)
	$(call say,GEN,$@)scripts/syscall-flags $< $(CC) $(ALL_CFLAGS) > $@

$(B)/lib/syscall/flags.o: $(B)/gen/flags.def.h

$(B)/gen/manuals.def.h: $(wildcard man/pt-*.1) scripts/tools-table
	@mkdir -p $(@D)
	$(call say,GEN,$@)scripts/tools-table $(filter man/%,$^) > $@

$(B)/lib/cli/manuals.o: $(B)/gen/manuals.def.h

# Messages of protocol buffers, by protobuf-c.
$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: lib/export/%.proto
	@mkdir -p $(@D)
	$(call say,PROTO,$(B)/gen/$*.pb-c.c)protoc-c --proto_path=$(<D) --c_out=$(B)/gen $<

$(B)/gen/%.pb-c.o: $(B)/gen/%.pb-c.c
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(filter $(B)/lib/export/%,$(LIB_O)): | $(PROTO:%=$(B)/gen/%.pb-c.h)

$(B)/tests/libtest.a: $(NO_MAIN_O)
	$(call say,AR,$@)rm -f $@ && $(AR) rcsD $@ $^

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/tests/lib/test.o $(B)/tests/libtest.a $(B)/libpt.a
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/tests/tools/%: $(B)/tests/tools/%.o $(B)/tests/libtest.a $(B)/libpt.a
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/tests/libtest.a $(B)/libpt.a
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Where nobody has said how many at a time: as many as there are CPUs.
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

tests: all $(UNIT) fuzz-entries $(TEST_TOOLS)

fuzz-entries: $(FUZZ)

deps:
	scripts/deps

demo: deps
	+$(MAKE) $(JOBS) all
	B=$(B) scripts/demo

check: deps
	+$(MAKE) $(JOBS) tests
	+$(MAKE) $(JOBS) SAN=1 B=$(B)/san tests
	B=$(B) tests/run layers docs unit cli fuzz live

check-slow:
	DEPS=slow scripts/deps
	+$(MAKE) $(JOBS) tests
	B=$(B) tests/run oracle browser matrix vm peers

check-vmlinux:
	DEPS=slow scripts/deps
	+$(MAKE) $(JOBS) tests
	tests/vm/machine/vmlinux $(B)/vm
	B=$(B) tests/run --filter '*vmlinux*' vm

bench:
	DEPS=bench scripts/deps
	+$(MAKE) $(JOBS) tests
	B=$(B) scripts/bench

fuzz:
	DEPS=fuzz scripts/deps
	+$(MAKE) $(JOBS) CC=clang SAN=1 LIBFUZZER=1 B=$(B)/fuzz fuzz-entries
	B=$(B)/fuzz scripts/fuzz $(FUZZ_SECONDS)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/doc/pt/examples
	install -m 755 $(TOOLS:%=$(B)/bin/%) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(wildcard man/*.1) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(wildcard man/*.5) $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 755 $(wildcard examples/*.sh) $(DESTDIR)$(PREFIX)/share/doc/pt/examples
	for t in $(TOOLS); do install -m 644 scripts/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$t; done

deb rpm static:
	scripts/package $@ $(VERSION) $(B)/packages

clean:
	rm -rf $(B) out

-include $(LIB_O:.o=.d) $(TOOLS:%=$(B)/cmd/%.d) $(UNIT:%=%.d) $(FUZZ:%=%.d) $(TEST_TOOLS:%=%.d) $(TEST_LIB_O:.o=.d)
