/* A reader-writer lock made of a mutex and a semaphore: the first reader locks writers out, the last one
   lets them in again. The broken one counts readers without the mutex when they leave, so that two that
   leave at the same time may both think that the other one is the last: writers wait forever. With
   -DREPAIRED the mutex is taken. Compile it with -fsanitize=thread. */
#include "ample.h"
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers;
static int writing;

static void *reader(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&mutex);

    VS_assert(!writing);

#ifdef REPAIRED
    pthread_mutex_lock(&mutex);
#endif
    if (--readers == 0)
        sem_post(&room);
#ifdef REPAIRED
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    sem_wait(&room);
    writing = 1;
    writing = 0;
    sem_post(&room);
    return NULL;
}

int main(void)
{
    void *(*bodies[3])(void *) = { reader, reader, writer };
    pthread_t threads[3];
    int i;

    sem_init(&room, 0, 1);
    for (i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
