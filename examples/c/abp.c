/* The alternating bit protocol between two processes, over pipes that may spoil a frame each way. Who gets
   a spoilt frame says again what it said last. The broken receiver does not look at the bit: when an
   acknowledgement is spoilt it takes the same message twice. With -DREPAIRED it looks. */
#include "ample.h"
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES 2

struct frame {
    unsigned char bit, data, is_spoilt, filler;
};

/* Each side may spoil one frame. */
static int may_spoil = 1;

static void put(int pipe, unsigned char bit, unsigned char data)
{
    struct frame frame = { bit, data, 0, 0 };
    if (may_spoil && VS_toss(1)) {
        may_spoil = 0;
        frame.is_spoilt = 1;
    }
    VS_assert(write(pipe, &frame, sizeof frame) == sizeof frame);
}

static int get(int pipe, struct frame *frame)
{
    return read(pipe, frame, sizeof *frame) == sizeof *frame;
}

static void send_all(int to, int from)
{
    unsigned char message;
    for (message = 0; message < MESSAGES; message++) {
        unsigned char bit = message % 2;
        struct frame answer;
        do {
            put(to, bit, message);
            VS_assert(get(from, &answer));
        } while (answer.is_spoilt || answer.bit != bit);
    }
}

static void receive_all(int from, int to)
{
    unsigned char next = 0, expected = 0;
    struct frame frame;
    while (get(from, &frame)) {
        if (frame.is_spoilt) {
            put(to, !expected, 0);
            continue;
        }
#ifdef REPAIRED
        if (frame.bit == expected)
#endif
        {
            VS_assert(frame.data == next);
            next++;
            expected = !expected;
        }
        put(to, frame.bit, 0);
    }
    VS_assert(next == MESSAGES);
}

int main(void)
{
    int there[2], back[2], status;
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    if (fork() == 0) {
        close(there[1]);
        close(back[0]);
        receive_all(there[0], back[1]);
        _exit(0);
    }
    close(there[0]);
    close(back[1]);
    send_all(there[1], back[0]);
    close(there[1]);
    wait(&status);
    VS_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
