/* The worker: a small process, `ax` itself executed anew as `ax __worker SPOOL GENERATION`, that is the parent of one running command at a time.
 *
 * Descriptor 3 is its end of a socket pair with the scheduler, which must hold the spool's scheduler.lock by then. It knows no store. What it does when is the
 * table in worker_parts.h; what it leaves on disk is told in spool/handover.h. */
#ifndef AX_WORKER_H
#define AX_WORKER_H

int worker_main(int argc, char **argv); /* the last two arguments are the spool and the generation; returns the exit code */

#endif
