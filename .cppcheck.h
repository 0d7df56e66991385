/* For `make lint` only: cppcheck reads no system headers, so it has to be told what this macro of uthash is. */
#define HASH_ITER(hh, head, e, next) for (e = head; e && ((next = e->hh.next) || 1); e = next)
