/* A trace.dat: what fuzz-perfdata does with a recording of any form, from a corpus of its own. */
#include "fuzz-perfdata.c"
