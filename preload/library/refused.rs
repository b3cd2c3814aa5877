//! Functions that would let the program out of the explorer's control. They are refused by name when
//! the program calls them; what it calls before `main` is let through.

use crate::control;
use crate::sys::{self, caller};
use std::ffi::c_int;

/// Functions of up to six arguments that fit registers, whatever their types.
macro_rules! refused {
    ($($name:ident: $why:literal;)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let at = caller!();
            if control::me().is_some() {
                control::escape_at(concat!(stringify!($name), ": ", $why), at);
            }
            let real = sys::real!($name: extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize);
            real(a, b, c, d, e, f)
        }
    )*};
}

refused! {
    accept: "sockets are not supported";
    accept4: "sockets are not supported";
    alarm: "signals are not supported";
    clone: "threads are made with pthread_create, processes with fork";
    daemon: "a process must stay in its process group";
    epoll_create: "waiting for several files is not supported";
    epoll_create1: "waiting for several files is not supported";
    eventfd: "event descriptors are not supported";
    execv: "another program is not under control";
    execve: "another program is not under control";
    execvp: "another program is not under control";
    execvpe: "another program is not under control";
    fexecve: "another program is not under control";
    getcontext: "contexts are not supported";
    mq_open: "POSIX message queues are not supported; those of System V are";
    pause: "signals are not supported";
    poll: "waiting for several files is not supported";
    popen: "another program is not under control";
    posix_spawn: "another program is not under control";
    posix_spawnp: "another program is not under control";
    ppoll: "waiting for several files is not supported";
    pselect: "waiting for several files is not supported";
    pthread_cancel: "cancellation is not supported";
    pthread_kill: "signals are not supported";
    pthread_sigqueue: "signals are not supported";
    pthread_timedjoin_np: "use pthread_join";
    pthread_tryjoin_np: "use pthread_join";
    select: "waiting for several files is not supported";
    sem_open: "named semaphores are not supported; sem_init and System V are";
    semtimedop: "use semop";
    setitimer: "signals are not supported";
    setpgid: "a process must stay in its process group";
    setsid: "a process must stay in its process group";
    sigqueue: "signals are not supported";
    sigsuspend: "signals are not supported";
    sigtimedwait: "signals are not supported";
    sigwait: "signals are not supported";
    sigwaitinfo: "signals are not supported";
    socketpair: "sockets are not supported";
    socket: "sockets are not supported";
    system: "another program is not under control";
    thrd_create: "use pthread_create";
    mtx_lock: "use pthread_mutex_lock";
    cnd_wait: "use pthread_cond_wait";
    timer_create: "signals are not supported";
    timerfd_create: "timers are not supported";
    vfork: "use fork";
    wait3: "use waitpid";
    wait4: "use waitpid";
    waitid: "use waitpid";
}

/// Signals to others than the own process are refused; `raise` and the like end the process.
#[unsafe(no_mangle)]
extern "C" fn kill(pid: c_int, signal: c_int) -> c_int {
    let at = caller!();
    if control::me().is_some() && signal != 0 && pid != sys::own_pid() as c_int {
        control::escape_at("kill: signals to other processes are not supported", at);
    }
    let result = sys::kill(pid, signal);
    if result < 0 {
        return sys::fails(-result as c_int);
    }
    0
}

/// Raw system calls go past everything.
#[unsafe(no_mangle)]
extern "C" fn syscall(
    number: usize,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    /// Those that cannot do harm: getpid, gettid, getcpu.
    const HARMLESS: [usize; 3] = [39, 186, 309];
    let at = caller!();
    if control::me().is_some() && !HARMLESS.contains(&number) {
        control::escape_at(&format!("syscall: raw system call {number}"), at);
    }
    // SAFETY: the program answers for the arguments.
    let result = unsafe { sys::raw(number, [a, b, c, d, e, f]) };
    if (-4095..0).contains(&result) {
        return sys::fails(-result as c_int) as isize;
    }
    result
}
