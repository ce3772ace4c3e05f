/* manuals.h - the tools and their purposes, from the NAME sections of their manuals */
#ifndef PT_CLI_MANUALS_H
#define PT_CLI_MANUALS_H

/* By name, "pt-annotate" first; a name that is NULL ends the table. */
extern const struct pt_manual { const char *name, *purpose; } pt_manuals[];

#endif
