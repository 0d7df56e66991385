#include "spool/slots.h"

bool slots_fit(uint32_t weight, uint32_t used, uint32_t limit)
{
    return weight == 0 || used == 0 || (used < limit && weight <= limit - used);
}
