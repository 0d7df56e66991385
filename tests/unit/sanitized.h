/* Long walks are shorter under the sanitizers, which look for other faults than wrong answers. */
#ifndef AX_SANITIZED_H
#define AX_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED(usual, fewer) (fewer)
#else
#define SANITIZED(usual, fewer) (usual)
#endif

#endif
