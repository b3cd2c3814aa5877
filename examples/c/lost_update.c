/* Two threads add to an account without a lock: an update can be lost. With -DREPAIRED they take a lock.
   The accesses are explored if the program is compiled with -fsanitize=thread. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *deposit(void *amount)
{
#ifdef REPAIRED
    pthread_mutex_lock(&lock);
#endif
    balance += *(int *)amount;
#ifdef REPAIRED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int ten = 10, twenty = 20;

    (void)lock;
    pthread_create(&first, NULL, deposit, &ten);
    pthread_create(&second, NULL, deposit, &twenty);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(balance == 30);
    return 0;
}
