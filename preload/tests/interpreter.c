/* Executes a program of visible operations that is given as numbers: the programs in memory of the
   explorer's own tests, as a C program. Arguments: a file for the final state, and one number after the
   other: threads, then of each thread its length, whether it is started by another one, whether another
   one waits for it, and its instructions of five numbers each. */
#include "ample.h"
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define THREADS 8
#define REGISTERS 8
#define LENGTH 64
#define HIDDEN __attribute__((no_sanitize("thread")))

enum {
    READ, WRITE, ADD, CAS, LOCK, TRY_LOCK, UNLOCK, READ_LOCK, READ_UNLOCK, WRITE_LOCK, WRITE_UNLOCK,
    WAIT, SIGNAL, WAIT_FOR, WAIT_TIMEOUT, NOTIFY_ONE, NOTIFY_ALL, TOSS, START, JOIN, ASSERT, SKIP_IF, STOP
};

struct thread {
    long length, is_started, is_joined;
    long code[LENGTH][5];
};

/* What the test reads. */
struct state {
    uint64_t variables[2];
    uint64_t registers[THREADS][REGISTERS];
    uint64_t failed[THREADS];
};

static struct thread threads[THREADS];
static pthread_t handles[THREADS];
static int was_joined[THREADS];
static struct state *state;
static uint64_t variables[2];
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

/* These are instrumented. Some accesses are plain and some atomic, to the same variables. */
static __attribute__((noinline)) uint64_t load(long x) { return variables[x]; }
static __attribute__((noinline)) void store(long x, uint64_t value) { variables[x] = value; }
static __attribute__((noinline)) uint64_t add(long x, uint64_t amount)
{
    return __atomic_fetch_add(&variables[x], amount, __ATOMIC_SEQ_CST);
}
static __attribute__((noinline)) int cas(long x, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(&variables[x], &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static HIDDEN void *run(void *argument);

static HIDDEN void begin(long thread)
{
    pthread_create(&handles[thread], NULL, run, (void *)thread);
}

static HIDDEN void *run(void *argument)
{
    long me = (long)argument, at;
    uint64_t *r = state->registers[me];
    struct timespec soon = { 0, 0 };

    for (at = 0; at < threads[me].length; at++) {
        long *code = threads[me].code[at];
        long a = code[1], b = code[2], c = code[3], d = code[4];
        switch (code[0]) {
        case READ: r[b] = load(a); break;
        case WRITE: store(a, b < 0 ? (uint64_t)c : r[b] + (uint64_t)c); state->variables[a] = variables[a]; break;
        case ADD: r[c] = add(a, (uint64_t)b); state->variables[a] = variables[a]; break;
        case CAS: r[d] = (uint64_t)cas(a, (uint64_t)b, (uint64_t)c); state->variables[a] = variables[a]; break;
        case LOCK: pthread_mutex_lock(&locks[a]); break;
        case TRY_LOCK: r[b] = pthread_mutex_trylock(&locks[a]) == 0; break;
        case UNLOCK: pthread_mutex_unlock(&locks[a]); break;
        case READ_LOCK: pthread_rwlock_rdlock(&shared); break;
        case WRITE_LOCK: pthread_rwlock_wrlock(&shared); break;
        case READ_UNLOCK:
        case WRITE_UNLOCK: pthread_rwlock_unlock(&shared); break;
        case WAIT: sem_wait(&semaphore); break;
        case SIGNAL: sem_post(&semaphore); break;
        case WAIT_FOR: pthread_cond_wait(&condition, &locks[b]); break;
        case WAIT_TIMEOUT: r[c] = pthread_cond_timedwait(&condition, &locks[b], &soon) == 0; break;
        case NOTIFY_ONE: pthread_cond_signal(&condition); break;
        case NOTIFY_ALL: pthread_cond_broadcast(&condition); break;
        case TOSS: r[b] = (uint64_t)VS_toss((int)a - 1); break;
        case START: begin(a); break;
        case JOIN:
            was_joined[a] = 1;
            pthread_join(handles[a], NULL);
            break;
        case ASSERT:
            if (r[a] != (uint64_t)b) {
                state->failed[me] = 1;
                return NULL;
            }
            break;
        case SKIP_IF:
            if (r[a] == (uint64_t)b)
                at += c;
            break;
        case STOP: return NULL;
        }
    }
    return NULL;
}

HIDDEN int main(int argc, char **argv)
{
    int fd = open(argv[1], O_RDWR), at = 4, i, j, k;
    int count = atoi(argv[3]);

    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (state == MAP_FAILED || argc < 4)
        return 2;
    memset(state, 0, sizeof *state);
    sem_init(&semaphore, 0, (unsigned)atoi(argv[2]));
    for (i = 0; i < count; i++) {
        threads[i].length = atol(argv[at++]);
        threads[i].is_started = atol(argv[at++]);
        threads[i].is_joined = atol(argv[at++]);
        for (j = 0; j < threads[i].length; j++)
            for (k = 0; k < 5; k++)
                threads[i].code[j][k] = atol(argv[at++]);
    }
    for (i = 0; i < count; i++)
        if (!threads[i].is_started)
            begin(i);
    for (i = 0; i < count; i++)
        if (!threads[i].is_joined)
            pthread_join(handles[i], NULL);
    /* One that was to wait for another may have ended before. */
    for (i = 0; i < count; i++)
        if (threads[i].is_joined && !was_joined[i])
            pthread_join(handles[i], NULL);
    return 0;
}
