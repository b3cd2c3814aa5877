/* A queue for one item, between producers and consumers. Both wait for the same condition, so the one
   that is woken may be the wrong one: signal is not enough. With -DREPAIRED everybody is woken. */
#include "ample.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;
static int taken;

static void wake(void)
{
#ifdef REPAIRED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void *produce(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (items == 1)
        pthread_cond_wait(&changed, &lock);
    items++;
    VS_assert(items <= 1);
    wake();
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&changed, &lock);
    items--;
    taken++;
    wake();
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    void *(*bodies[4])(void *) = { consume, consume, produce, produce };
    pthread_t threads[4];
    int i;

    for (i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    VS_assert(items == 0 && taken == 2);
    return 0;
}
