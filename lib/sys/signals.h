/* Names of signals, as in signal(7), without SIG. */
#ifndef AX_SIGNALS_H
#define AX_SIGNALS_H

const char *signals_name(int number); /* `KILL`; NULL: has no name */

#endif
