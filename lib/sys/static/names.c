/* Only in `make static`: users and groups are those of /etc/passwd and /etc/group. For what else nsswitch.conf(5) may
 * name, glibc would load plugins, and with them the C library of the machine: another one than that in the program. */
#include <nss.h>

__attribute__((constructor)) static void names_of_files(void)
{
    __nss_configure_lookup("passwd", "files");
    __nss_configure_lookup("group", "files");
    __nss_configure_lookup("initgroups", "files");
}
