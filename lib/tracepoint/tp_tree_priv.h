/* tp_tree_priv.h - the print format of a tracepoint as a tree, and the flat program made of it; for
 * the tp*.c files alone.
 *
 * The tree follows C: each number has a width and a sign, arithmetic promotes as C does, so that
 * what the kernel prints comes out (libtraceevent reckons all in unsigned 64 bits). Nodes live in
 * the format's arena. Depth and count are limited when it is built, so that running it needs no
 * limits but those of the record. */
#ifndef PT_TRACEPOINT_TP_TREE_PRIV_H
#define PT_TRACEPOINT_TP_TREE_PRIV_H

#include "base/mem.h"
#include "tracepoint/tp_priv.h"

enum {
	PT_TP_MAX_DEPTH = 100,		/* nested nodes */
	PT_TP_MAX_NODES = 1 << 16,
	PT_TP_MAX_OPS = 8192,
	PT_TP_MAX_WIDTH = 1024,		/* of a directive */
	PT_TP_MAX_OUT = 1 << 18,	/* bytes of one record's text */
};

enum pt_tp_kind {
	PT_TP_NUM, /* value */
	PT_TP_STR, /* text */
	/* an identifier that nobody has resolved (an enumerator, a variable of the kernel's): 0, as
	   perf has it */
	PT_TP_NAME,
	PT_TP_FIELD, /* REC->field */
	/* __get_dynamic_array(field), __get_str(field), __get_str(field[op]): its bytes */
	PT_TP_DYN,
	PT_TP_DYN_LEN, /* bytes in it */
	PT_TP_ADDR, /* &a, where a is a field */
	PT_TP_INDEX, /* a[b], and *a as a[0] */
	PT_TP_CAST, /* (type)a */
	PT_TP_UNARY, /* op a */
	PT_TP_BINARY, /* a op b */
	PT_TP_COND, /* a ? b : c */
	PT_TP_SWAB, /* bytes of a turned around */
	PT_TP_FLAGS, /* __print_flags(a, text, table) */
	PT_TP_SYMBOLIC, /* __print_symbolic(a, table) */
	PT_TP_HEX, /* __print_hex(a, b), text between the bytes */
	PT_TP_ARRAY_OF, /* __print_array(a, b, c) */
	PT_TP_BITMASK, /* __get_bitmask(field) */
	PT_TP_CPUMASK, /* __get_cpumask(field) */
};

/* Operators of two characters and more; those of one are their character. */
enum { PT_TP_SHL = 256, PT_TP_SHR, PT_TP_LE, PT_TP_GE, PT_TP_EQ, PT_TP_NE, PT_TP_AND, PT_TP_OR };

struct pt_tp_type {
	uint8_t bits;		/* 8, 16, 32, 64; 0: not known */
	bool is_unsigned;
	bool is_bool;
	bool pointer;		/* bits and is_unsigned are then of what it points at */
};

struct pt_tp_value_name {
	uint64_t value;
	uint32_t at;		/* order in the format */
	uint32_t len;
	const char *name;
};

struct pt_tp_table {
	/* symbolic: sorted by value, no doubles; flags: as in the format */
	struct pt_tp_value_name *items;
	size_t nr, cap;
};

struct pt_tp_node {
	uint8_t kind;
	/* a number's declared width: 8 to 64; arithmetic promotes to 32 or 64 */
	uint8_t bits;
	bool is_unsigned;
	bool is_u64;		/* FLAGS, SYMBOLIC: not cut to a long */
	uint16_t op;
	uint16_t depth;
	/* nodes visited by a run: a local of a statement expression may be used several times */
	uint32_t cost;
	struct pt_tp_node *a, *b, *c;
	union {
		uint64_t value;
		const struct pt_tp_field *field;
		struct pt_tp_type type;
		struct { const char *text; uint32_t len; };
	};
	struct pt_tp_table table;
	struct pt_tp_node *next;	/* of a list of arguments */
};

/* Letters behind %p that print a symbol of the kernel. */
#define PT_TP_SYMBOL_LETTERS "sSfFB"

/* A directive of the print format. */
struct pt_tp_spec {
	char conv;		/* d u x X o c s p */
	char ext[7];		/* letters behind %p */
	uint8_t bits;		/* of the argument that printf takes: 8 to 64 */
	char flags[6];		/* each of "-0+ #" at most once */
	/* no flag but 0, no precision, nothing from arguments; plain: no width either */
	bool simple, plain;
	int width;		/* 0: none */
	int prec;		/* -1: none */
	struct pt_tp_node *width_arg, *prec_arg;	/* the * ones */
};

enum pt_tp_op_code {
	PT_TP_OP_LITERAL,
	PT_TP_OP_BYTES,
	PT_TP_OP_NUMBER,
	PT_TP_OP_POINTER,
	PT_TP_OP_ADDRESS_TEXT,
	PT_TP_OP_STRING_NODE,
	PT_TP_OP_JUMP_IF_ZERO,
	PT_TP_OP_JUMP,
	PT_TP_OP_MARK,
	PT_TP_OP_FIT,
	PT_TP_OP_UNLESS_FAULT,
	PT_TP_OP_VALUE,			/* of a field with __len_NAME or __flt_NAME */
};

struct pt_tp_op {
	uint16_t code;
	uint32_t len;		/* LITERAL: of text; jumps: the op to go to */
	union {
		const char *text;
		const struct pt_tp_node *node;
		const struct pt_tp_field *field;	/* UNLESS_FAULT, VALUE */
	};
	const struct pt_tp_spec *spec;
};

struct pt_tp_prog {
	struct pt_tp_op *ops;
	size_t nr, cap;
};

/* "int x = ...;" in a statement expression. */
struct pt_tp_local {
	const char *name;
	size_t len;
	struct pt_tp_node *value;
};

struct pt_tp_parser {
	struct pt_tp_entry *entry;
	const char *at;		/* in text that ends in a NUL */
	int nesting;
	size_t nr_nodes;
	struct pt_tp_local locals[16];
	size_t nr_locals;
	const char *why;	/* the first thing that cannot be compiled */
	/* What all functions return from then on, never NULL, so that `why` is checked only once
	 * at the end. `at` is then an empty text. */
	struct pt_tp_node failed;
};

/* A running record. */
struct pt_tp_rec {
	const uint8_t *raw;
	size_t len;
	bool swap;
	uint8_t long_bytes;
	struct pt_tp_db *db;
};

static inline struct pt_tp_rec pt_tp_rec_of(const struct pt_tp *tp, const void *raw, size_t len)
{
	return (struct pt_tp_rec){ .raw = raw,
				   .len = len,
				   .swap = tp->db->swap,
				   .long_bytes = (uint8_t)tp->db->long_bytes,
				   .db = tp->db };
}

/* tp_lex.c */
static inline bool pt_tp_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}
/* bytes of the identifier that starts here */
size_t pt_tp_word(const char *s);
bool pt_tp_same(const char *s, size_t len, const char *want);
void pt_tp_blanks(struct pt_tp_parser *p);
/* skips blanks, then c; without it returns false and skips only the blanks */
bool pt_tp_parse_skip(struct pt_tp_parser *p, char c);
/* The field whose name comes next; NULL: there is none, and parsing has failed. */
const struct pt_tp_field *pt_tp_parse_field(struct pt_tp_parser *p);
/* "a" "b" */
bool pt_tp_parse_text(struct pt_tp_parser *p, const char **text, uint32_t *len);
struct pt_tp_node *pt_tp_parse_number(struct pt_tp_parser *p);
struct pt_tp_node *pt_tp_parse_character(struct pt_tp_parser *p);
struct pt_tp_type pt_tp_parse_type(const char *text, size_t len, int long_bytes);
bool pt_tp_is_type_word(const char *s, size_t len);
size_t pt_tp_type_in_parens(const struct pt_tp_parser *p);
/* tp_parse.c */
struct pt_tp_node *pt_tp_parse_expr(struct pt_tp_parser *p);
struct pt_tp_node *pt_tp_parse_fail(struct pt_tp_parser *p, const char *why);
struct pt_tp_node *pt_tp_node(struct pt_tp_parser *p, enum pt_tp_kind kind, struct pt_tp_node *a,
			      struct pt_tp_node *b, struct pt_tp_node *c);
struct pt_tp_node *pt_tp_number(struct pt_tp_parser *p, uint64_t value);
/* tp_call.c: the arguments behind "NAME(", including ")" */
struct pt_tp_node *pt_tp_parse_call(struct pt_tp_parser *p, const char *name, size_t len);
/* tp_eval.c */
/* bytes in the record rather than a number */
bool pt_tp_is_data(const struct pt_tp_node *n);
bool pt_tp_node_data(const struct pt_tp_node *n, const struct pt_tp_rec *r, const uint8_t **p,
		     size_t *len);
/* v as a number of so many bits, extended by its sign or by zeros */
static inline uint64_t pt_tp_cut(uint64_t v, int bits, bool is_unsigned)
{
	int above = bits ? 64 - bits : 0;

	return is_unsigned ? v << above >> above : (uint64_t)((int64_t)(v << above) >> above);
}
uint64_t pt_tp_eval(const struct pt_tp_node *n, const struct pt_tp_rec *r);
/* v as the width of a directive */
static inline int pt_tp_width(int64_t v)
{
	return (int)PT_MAX(PT_MIN(v, PT_TP_MAX_WIDTH), -PT_TP_MAX_WIDTH);
}
/* tp_compile.c */
/* hh h l ll L q j z Z t of a directive, or none: bits of its argument */
uint8_t pt_tp_parse_length(const char **at, int long_bytes);
struct pt_tp_prog *pt_tp_compile(struct pt_tp_entry *t, const char **why);
/* The event's program, compiled at the first call; NULL: it cannot be compiled. */
const struct pt_tp_prog *pt_tp_prog_of(const struct pt_tp *tp);
/* tp_text.c: pieces of text */
void pt_tp_text_node(const struct pt_tp_node *n, const struct pt_tp_rec *r, struct pt_buf *out);
void pt_tp_text_mask(const uint8_t *p, size_t bits, const struct pt_tp_rec *r, bool list,
		     struct pt_buf *out);
/* 0x1f */
void pt_tp_text_address(uint64_t v, struct pt_buf *out);
/* tp_pointer.c: %p and its letters */
void pt_tp_text_pointer(const struct pt_tp_spec *s, const struct pt_tp_node *n, int width,
			const struct pt_tp_rec *r, struct pt_buf *out);
/* tp_ftrace.c. False: it is printed by its format. */
bool pt_tp_ftrace_print(const struct pt_tp *tp, const struct pt_tp_rec *r, struct pt_buf *out);
/* tp_symbols.c */
bool pt_tp_symbol_at(struct pt_tp_db *db, uint64_t addr, struct pt_ksym *s);

#endif
