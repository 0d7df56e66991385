/* Slots: what runs side by side. Pure. */
#ifndef AX_SLOTS_H
#define AX_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a run of this weight fits beside what is in use. What is heavier than the limit itself fits when it is alone; what weighs nothing always does. */
bool slots_fit(uint32_t weight, uint32_t used, uint32_t limit);

#endif
