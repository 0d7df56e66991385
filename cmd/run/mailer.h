/* The errands that the couriers send. */
#ifndef AX_MAILER_H
#define AX_MAILER_H

int mailer_errand(int argc, char **argv);   /* `ax __mail SPOOL` */
int notifier_errand(int argc, char **argv); /* `ax __notify SPOOL` */

#endif
