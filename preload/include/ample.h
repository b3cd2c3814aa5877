/* What a program may say to the explorer (`ample explore`). Without it, VS_toss chooses at random and
   VS_assert is like assert, so that the same program also runs by itself. */
#ifndef AMPLE_H
#define AMPLE_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the library that `ample explore` loads. */
extern int VS_toss(int n) __attribute__((weak));
extern void ample_assertion_failed(const char *text, const char *file, int line) __attribute__((weak));
extern int ample_is_exploring(void) __attribute__((weak));

/* A number from 0 to n. The explorer tries all of them. */
#define VS_toss(n) (VS_toss ? (VS_toss)(n) : rand() % ((n) + 1))

/* A condition that must hold. */
#define VS_assert(condition)                                                                      \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            if (ample_assertion_failed)                                                           \
                ample_assertion_failed(#condition, __FILE__, __LINE__);                           \
            fprintf(stderr, "%s:%d: VS_assert(%s) failed\n", __FILE__, __LINE__, #condition);     \
            abort();                                                                              \
        }                                                                                         \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
