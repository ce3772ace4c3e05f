/* catalog_priv.h - shared by catalog.c (what exists) and catalog_try.c (what can be opened) */
#ifndef PT_EVENT_CATALOG_PRIV_H
#define PT_EVENT_CATALOG_PRIV_H

#include "event/catalog.h"

void catalog_try_all(struct pt_catalog *c, bool quick);
void catalog_missing(struct pt_catalog *c, const char *text);	/* each message once */

#endif
