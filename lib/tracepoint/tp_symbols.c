#include "tracepoint/tp_tree_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/diskcache.h"
#include "base/ksyms.h"
#include "base/mem.h"

/* Symbols of the recorded kernel, for %ps and %pS. They are read for the first one, this machine's
 * also when a session is prepared. */

void pt_tp_db_add_kallsyms(struct pt_tp_db *db, const char *text, size_t len)
{
	len = strnlen(text, len);
	if (!len)			/* perf's recordings usually have none */
		return;
	pt_ksyms_free(db->symbols);
	db->symbols = NULL;
	free(db->kallsyms);
	db->kallsyms = pt_memdup(text, len);
	db->kallsyms_len = len;
}

void pt_tp_db_use_local_kallsyms(struct pt_tp_db *db)
{
	db->local_symbols = true;
	db->may_keep = true;		/* a recording can wait */
}

static void tp_symbols_read(struct pt_tp_db *db)
{
	if (db->kallsyms)
		db->symbols = pt_ksyms_of_text(db->kallsyms, db->kallsyms_len);
	db->kallsyms = NULL;
	if (db->symbols || !db->local_symbols)
		return;
	if (!db->may_keep) {
		db->symbols = pt_ksyms_local_amid();
		return;
	}
	db->keep = pt_diskcache_open();
	db->symbols = pt_ksyms_local(db->keep);
}

void pt_tp_db_prepare(struct pt_tp_db *db)
{
	for (size_t i = 0; i < db->nr; i++)
		pt_tp_prog_of(&db->entries[i]->tp);
	if (!db->wants_symbols || !db->local_symbols)
		return;
	db->may_keep = true;
	tp_symbols_read(db);
	pt_ksyms_visible(db->symbols);
}

bool pt_tp_symbol_at(struct pt_tp_db *db, uint64_t addr, struct pt_ksym *s)
{
	tp_symbols_read(db);
	return db->symbols && pt_ksyms_find(db->symbols, addr, s);
}
