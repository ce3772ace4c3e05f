/* catalog_priv.h - what catalog.c (what there is) and catalog_try.c (what can be opened) share.
 * Nobody else includes it. */
#ifndef PT_EVENT_CATALOG_PRIV_H
#define PT_EVENT_CATALOG_PRIV_H

#include "event/catalog.h"

void catalog_try_all(struct pt_catalog *c, bool quick);
void catalog_missing(struct pt_catalog *c, const char *text);	/* once each */

#endif
