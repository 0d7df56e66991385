/* The zone whose name is nearest to one that there is not: for zone_load.c only. */
#ifndef AX_ZONE_NEAR_H
#define AX_ZONE_NEAR_H

/* `folder` holds the list of names, tzdata.zi. The case of letters does not count, and the city alone will do. malloc'd; NULL: none is near. */
char *zone_near(const char *folder, const char *name);

#endif
