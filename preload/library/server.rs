//! The fork server: the program is loaded once, up to `main`, and every execution is a fork of that.
//!
//! Nothing may be left behind. Each execution is a process group; orphans come to the server, which
//! waits for all of them before it says that the execution is over. When the explorer dies the
//! server is told by the kernel and kills the group; when the server dies the first process of the
//! execution is, and all others notice within a second, because their waits are bounded.

use crate::control;
use crate::crash;
use crate::ipc;
use crate::protocol::{EXPLORER, STOP, Shared};
use crate::sys;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

type Main = extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
type Start = extern "C" fn(
    Option<Main>,
    c_int,
    *mut *mut c_char,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// The program's `main`.
static MAIN: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn unsetenv(name: *const c_char) -> c_int;
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
}

/// What starts `main` in every program.
#[unsafe(no_mangle)]
extern "C" fn __libc_start_main(
    main: Option<Main>,
    argc: c_int,
    argv: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    rtld_fini: *mut c_void,
    stack_end: *mut c_void,
) -> c_int {
    MAIN.store(main.map_or(0, |main| main as usize), Ordering::Relaxed);
    let start = sys::real!(__libc_start_main: Start);
    start(
        Some(controlled_main),
        argc,
        argv,
        init,
        fini,
        rtld_fini,
        stack_end,
    )
}

extern "C" fn controlled_main(argc: c_int, argv: *mut *mut c_char, env: *mut *mut c_char) -> c_int {
    if let Some(fd) = number_in_environment(c"AMPLE_SHARED") {
        control::attach(fd);
        sys::close(fd);
        if let Some(fd) = number_in_environment(c"AMPLE_LIBRARY") {
            sys::close(fd);
        }
        for name in [c"AMPLE_SHARED", c"AMPLE_LIBRARY", c"LD_PRELOAD"] {
            // SAFETY: the name ends with a zero, and there is one thread.
            unsafe { unsetenv(name.as_ptr()) };
        }
        serve();
        // SAFETY: a handler with the right signature. It is the first, so it runs last.
        unsafe { on_exit(last_of_all, std::ptr::null_mut()) };
    }
    let main = MAIN.load(Ordering::Relaxed);
    // SAFETY: the address was that of a function of this type, in `__libc_start_main`.
    let main = unsafe { std::mem::transmute::<*const (), Main>(main as *const ()) };
    main(argc, argv, env)
}

fn number_in_environment(name: &CStr) -> Option<i32> {
    // SAFETY: the name ends with a zero; what is returned does too.
    let text = unsafe {
        let value = getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value))?
    };
    text.to_str().ok()?.parse().ok()
}

/// Forks executions as the explorer commands. Returns in each of them.
fn serve() {
    let Some(shared) = control::shared() else {
        return;
    };
    crash::prepare_stacks();
    ipc::prepare();
    let own = sys::own_pid();
    shared.server.store(own, Ordering::Relaxed);
    crash::handle(SIGTERM, explorer_is_gone);
    sys::signal_at_death_of_parent(SIGTERM);
    sys::adopt_orphans();
    // The explorer may have died before the kernel was asked.
    if sys::parent_pid() == 1 {
        sys::exit_group(1);
    }
    let mut last = 0;
    shared.turn.store(EXPLORER, Ordering::Release);
    sys::futex_wake(&shared.turn);
    loop {
        let command = shared.command.load(Ordering::Acquire);
        if command == STOP {
            sys::exit_group(0);
        }
        if command == last {
            sys::futex_wait(&shared.command, last);
            continue;
        }
        last = command;
        let fork = sys::real!(fork: extern "C" fn() -> c_int);
        match fork() {
            0 => return begin(own),
            pid if pid < 0 => {
                sys::say("ample: the system has no process left\n");
                sys::exit_group(127);
            }
            pid => {
                sys::own_group(pid as u32);
                shared.group.store(pid as u32, Ordering::Release);
            }
        }
        reap(shared);
        ipc::clean();
        shared.reaped.store(last, Ordering::Release);
        sys::futex_wake(&shared.reaped);
    }
}

/// The first process of an execution.
fn begin(server: u32) {
    let own = sys::own_pid();
    sys::own_group(own);
    crash::handle_default(SIGTERM);
    sys::signal_at_death_of_parent(SIGKILL);
    if sys::parent_pid() != server {
        sys::exit_group(1);
    }
    control::become_slot(Some(0));
    if let Some(shared) = control::shared() {
        shared.group.store(own, Ordering::Release);
    }
    if let Some(slot) = control::me() {
        slot.pid.store(own, Ordering::Relaxed);
    }
    crash::handle_crashes();
    crash::use_stack(0);
}

/// Waits until no process of the execution is left.
fn reap(shared: &Shared) {
    loop {
        let (pid, status) = sys::wait_child();
        if pid == -(sys::EINTR as isize) {
            continue;
        }
        if pid < 0 {
            return;
        }
        // What ends by permission has the status that was announced; a signal was sent by somebody.
        shared.died_status.store(status, Ordering::Relaxed);
        shared.died.store(pid as u32, Ordering::Release);
        if status & 0x7f != 0 {
            sys::futex_wake(&shared.turn);
        }
    }
}

extern "C" fn explorer_is_gone(_: c_int, _: *mut c_void, _: *mut c_void) {
    if let Some(shared) = control::shared() {
        let group = shared.group.load(Ordering::Relaxed) as i32;
        if group != 0 {
            sys::kill(-group, SIGKILL);
        }
    }
    sys::exit_group(1);
}

/// After all other handlers of `exit`: what is written is written, then the process ends.
extern "C" fn last_of_all(status: c_int, _: *mut c_void) {
    // SAFETY: flushes all streams.
    unsafe { fflush(std::ptr::null_mut()) };
    crate::thread::process_ends(status, 0);
}
