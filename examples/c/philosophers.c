/* Dining philosophers as processes, with System V semaphores for forks: the program of the paper on
   VeriSoft (Godefroid 2003, Figure 1), written anew. Each takes the left fork first, so all may end up
   with one fork and wait for the other. With -DREPAIRED the last one takes the right fork first. */
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

static void change(int forks, int number, int amount)
{
    struct sembuf operation = { (unsigned short)number, (short)amount, 0 };
    if (semop(forks, &operation, 1) != 0)
        abort();
}

static void philosopher(int forks, int i)
{
    int first = i, second = (i + 1) % N;
#ifdef REPAIRED
    if (i == N - 1) {
        first = 0;
        second = i;
    }
#endif
    change(forks, first, -1);
    change(forks, second, -1);
    change(forks, first, +1);
    change(forks, second, +1);
    exit(0);
}

int main(void)
{
    int forks = semget(IPC_PRIVATE, N, 0600);
    int i;

    for (i = 0; i < N; i++)
        semctl(forks, i, SETVAL, 1);
    for (i = 0; i < N - 1; i++)
        if (fork() == 0)
            philosopher(forks, i);
    philosopher(forks, i);
}
