/* Numbered places at which a test can end the process. Without -DAX_FAULTS they are nothing.
 *
 * Built with -DAX_FAULTS, the variable AX_FAULT decides: `NAME` or `NAME:N` ends the process with SIGKILL when it comes to that place for the first
 * (N-th) time; `NAME:N:stop` stops it with SIGSTOP. Async-signal-safe, so a place may lie between fork and exec.
 * AX_CLOCK_SHIFT: seconds by which the wall clock of this process is wrong.
 * AX_SLACK: seconds that a stuck worker is given, in place of the usual ones. */
#ifndef AX_FAULT_H
#define AX_FAULT_H

#ifdef AX_FAULTS
#define FAULT_POINT(name) fault_point(name)
#define FAULT_SHIFT() fault_shift()
#define FAULT_SLACK(usual) fault_slack(usual)
#else
#define FAULT_POINT(name) ((void)0)
#define FAULT_SHIFT() 0
#define FAULT_SLACK(usual) (usual)
#endif

void fault_point(const char *name);
long fault_shift(void);
long fault_slack(long usual);

#endif
