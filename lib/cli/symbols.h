/* symbols.h - the options of tools that name code: --no-inline, --no-demangle, --symfs, --kallsyms,
 * --vmlinux, --debuginfod, --jvm, --max-stack.
 *
 *     struct args { struct pt_frames_opts frames; ... };
 *     { "Symbols", pt_opts_symbols, offsetof(struct args, frames) }, */
#ifndef PT_CLI_SYMBOLS_H
#define PT_CLI_SYMBOLS_H

#include "cli/opt.h"
#include "stack/frames.h"

extern const struct pt_opt pt_opts_symbols[];

/* Once options are parsed: says why --debuginfod cannot be had, where it cannot. */
void pt_symbols_ready(const struct pt_tool *tool, struct pt_frames_opts *o);
/* What a reader should know of names: files that could not be opened, JIT code; a warning each. */
void pt_symbols_tell(const struct pt_tool *t, const struct pt_frames *f);

#endif
