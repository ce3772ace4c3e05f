/* script_priv.h - shared by the files of script.h: fields, types, the content of an event's lines
 */
#ifndef PT_SCRIPT_SCRIPT_PRIV_H
#define PT_SCRIPT_SCRIPT_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "script/script.h"

/* Fields of a line, and their words in -F. */
#define FIELDS(F) \
	F(COMM, "comm") F(TID, "tid") F(PID, "pid") F(TIME, "time") F(CPU, "cpu") \
	F(EVENT, "event") F(TRACE, "trace") F(IP, "ip") F(SYM, "sym") F(DSO, "dso") \
	F(ADDR, "addr") F(SYMOFF, "symoff") F(SRCLINE, "srcline") F(PERIOD, "period") \
	F(IREGS, "iregs") F(UREGS, "uregs") F(FLAGS, "flags") F(DATA_SRC, "data_src") \
	F(WEIGHT, "weight") F(BPF_OUTPUT, "bpf-output") F(CALLINDENT, "callindent") \
	F(PHYS_ADDR, "phys_addr") F(MISC, "misc") F(DATA_PAGE, "data_page_size") \
	F(CODE_PAGE, "code_page_size") F(INS_LAT, "ins_lat") F(BRSTACK, "brstack") \
	F(BRSTACKSYM, "brstacksym") F(TOD, "tod") F(CGROUP, "cgroup") F(BRSTACKOFF, "brstackoff") \
	F(BRSTACKINSN, "brstackinsn") F(BRSTACKINSNLEN, "brstackinsnlen") F(INSN, "insn") \
	F(INSNLEN, "insnlen") F(SRCCODE, "srccode") F(DSOFF, "dsoff") F(SYNTH, "synth") \
	F(IPC, "ipc")

#define FIELD_BIT(name, word) BIT_##name,
enum { FIELDS(FIELD_BIT) };
#undef FIELD_BIT

#define FIELD(name, word) F_##name = 1ull << BIT_##name,
enum { FIELDS(FIELD) };
#undef FIELD

#define F_BRANCHES \
	(F_BRSTACK | F_BRSTACKSYM | F_BRSTACKOFF | F_BRSTACKINSN | F_BRSTACKINSNLEN)
/* These need the files that were mapped, with or without names of code. */
#define F_FROM_FILES \
	(F_BRSTACKSYM | F_BRSTACKOFF | F_BRSTACKINSN | F_BRSTACKINSNLEN | F_INSN | F_INSNLEN | \
	 F_SRCCODE | F_DSOFF)

/* As PERF_TYPE_*; everything beyond them (uprobes, PMUs) is one type. */
enum {
	TYPE_HARDWARE,
	TYPE_SOFTWARE,
	TYPE_TRACEPOINT,
	TYPE_CACHE,
	TYPE_RAW,
	TYPE_BREAKPOINT,
	TYPE_OTHER,
	NR_TYPES
};

struct plan {			/* of an event */
	bool chain;		/* its call chains are shown */
	const char *arch;	/* of the recording, as uname -m; NULL: unknown */
	bool named;		/* its addresses are named, or must be unwound */
	bool named_addr;	/* also its data's address */
	bool bpf_output;
	uint64_t to_wall_ns;	/* from its times to those since 1970 */
	uint64_t fields;
	size_t name_len;
};

struct lines {			/* the text of a place */
	uint64_t shown;
	size_t at;		/* in line_text */
	uint32_t len;		/* 0: none yet */
	uint32_t past, unknown;
	uint64_t fields;
};

struct pt_script {
	struct {
		uint64_t fields;
		uint64_t asked;		/* requested by the user: an error if missing */
		bool set;		/* the user has chosen fields */
		bool by_type;		/* requested with its type: such events must exist */
	} types[NR_TYPES];
	struct pt_script_opts o;
	struct pt_offer symbols_there, dsos_there;	/* that o.symbols and o.dsos chose from */
	bool symbols, lines;		/* names were requested; lines of the source were */
	struct pt_map sources;		/* hash of a file's name -> struct pt_source_text */
	struct pt_map last_lines;	/* tid -> hash of the line that was shown last */
	struct pt_map told;		/* index of an event -> 1: its line "about" was printed */
	struct pt_map cgroups;		/* id -> path, on the heap */
	struct pt_frames *frames;	/* owned by the caller; NULL: addresses are not named */
	/* width of the longest event name, set at the first line */
	size_t name_width;
	struct plan **plans;		/* by event; they never change */
	size_t nr_plans;
	struct lines *memo;		/* by the index of a place */
	size_t nr_memo;
	struct pt_buf line_text;
	/* the time that printed times are relative to; 0: none yet */
	uint64_t reference_ns;
	uint64_t unknown;		/* unnamed frames in call chains */
	/* A call of function_graph's, shown once it is known if the next sample is its return. */
	struct {
		bool held;
		struct pt_record rec;
		struct pt_buf raw, comm;
	} call;
};

const char *pt_script_type_name(int type);
const char *pt_script_field_name(uint64_t fields);	/* of the lowest bit */
const struct plan *pt_script_plan(struct pt_script *s, struct pt_source *src,
				  const struct pt_event *ev);
void pt_script_start(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		     const char *comm, struct pt_buf *b);
/* has_addr: it was printed already */
void pt_script_rare_before(const struct plan *p, const struct pt_record *rec, bool has_addr,
			   struct pt_buf *b);
void pt_script_rare_after(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			  struct pt_buf *b);
/* "(PATH)" or "(PATH+0xOFFSET)"; x NULL: unknown; off UINT64_MAX: not shown */
void pt_script_module(struct pt_buf *b, uint32_t pid, const struct pt_named_frame *x, uint64_t off);
/* The address as an offset in the file that is mapped there; UINT64_MAX: no file. */
uint64_t pt_script_offset(const struct pt_script *s, const struct pt_record *rec, uint64_t addr);
/* "NAME", or "NAME+0xOFFSET"; NULL: unknown */
void pt_script_name(struct pt_buf *b, const char *name, uint64_t offset, bool with_offset);
/* How many events a sample stands for. */
uint64_t pt_script_period(const struct pt_record *rec);
/* The place of an address of a sample, if there are frames. */
const struct pt_place_at *pt_script_place(const struct pt_script *s, const struct pt_record *rec,
					  uint64_t addr);
/* The function there, not one that is inlined into it; NULL: none. */
const struct pt_named_frame *pt_script_function(const struct pt_script *s,
						const struct pt_record *rec, uint64_t addr);
/* The time at which the maps of a sample's addresses count. */
uint64_t pt_script_time(const struct pt_record *rec);

/* script_side.c: what a record says; false: such records are not shown. */
bool pt_script_side_text(const struct pt_record *rec, struct pt_buf *b);
/* script_dump.c: up to 16 bytes, as numbers and as text. */
void pt_script_bytes(struct pt_buf *b, const uint8_t *p, size_t len);
/* script_insns.c: insn and insnlen; brstackinsn. */
void pt_script_insn(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		    struct pt_buf *b);
void pt_script_branch_insns(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			    struct pt_buf *b);
/* script_source.c: srccode, a line of the source if it is not the task's last one. */
void pt_script_source_line(struct pt_script *s, const struct pt_record *rec, uint64_t addr,
			   struct pt_buf *b);
void pt_script_sources_free(struct pt_script *s);

void pt_script_dec(struct pt_buf *b, int64_t v, int width);
void pt_script_hex(struct pt_buf *b, uint64_t v, size_t width);

#endif
