//! Threads and processes: creation, end, and waiting for the end.
//!
//! Creating one is no operation of its own: the creator goes on when the new thread has announced
//! its first operation. Threads are real ones, and so are processes; only one of them runs.

use crate::control::{self, call};
use crate::crash;
use crate::pipe;
use crate::protocol::{ANY, Call};
use crate::sys::{self, caller};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

type Body = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = extern "C" fn(*mut u64, *const c_void, Body, *mut c_void) -> c_int;

/// What a new thread needs to begin.
struct Birth {
    body: Body,
    argument: *mut c_void,
    slot: u32,
}

/// A key of thread-specific data: its destructor is the last thing that a thread does. 0 is none,
/// otherwise the key plus one.
static LAST: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    fn pthread_key_create(key: *mut u32, destructor: extern "C" fn(*mut c_void)) -> c_int;
    fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    fn pthread_self() -> u64;
    fn sbrk(by: isize) -> *mut c_void;
}

#[unsafe(no_mangle)]
extern "C" fn pthread_create(
    thread: *mut u64,
    attributes: *const c_void,
    body: Body,
    argument: *mut c_void,
) -> c_int {
    let at = caller!();
    let create = sys::real!(pthread_create: Create);
    if control::me().is_none() {
        control::escape_at("pthread_create before main", at);
    }
    control::settle();
    let Some(index) = control::new_slot() else {
        return create(thread, attributes, body, argument);
    };
    if let (Some(slot), Some(mine)) = (control::slot_at(index), control::me()) {
        slot.pid
            .store(mine.pid.load(Ordering::Relaxed), Ordering::Relaxed);
        slot.caller.store(at, Ordering::Relaxed);
    }
    note_heap();
    control::set_several(true);
    let birth = Birth {
        body,
        argument,
        slot: index,
    };
    let birth = Box::into_raw(Box::new(birth));
    let mut handle = 0_u64;
    let result = create(&raw mut handle, attributes, begin, birth.cast());
    if result != 0 {
        // SAFETY: nobody else got the address.
        drop(unsafe { Box::from_raw(birth) });
        control::drop_slot(index);
        return result;
    }
    // The new thread may use its own handle, but not this variable, before `pthread_create` returns.
    if let Some(slot) = control::slot_at(index) {
        slot.handle.store(handle, Ordering::Relaxed);
    }
    // SAFETY: the program passes the address of a variable.
    unsafe { thread.write(handle) };
    control::wait_for_child(index);
    0
}

/// Tells where the heap ends before anything is concurrent: what lies below is at the same address in
/// all executions.
fn note_heap() {
    if control::is_several() || control::is_forked() {
        return;
    }
    if let Some(shared) = control::shared() {
        // SAFETY: asks for the end of the heap without moving it.
        let end = unsafe { sbrk(0) } as u64;
        shared.heap.store(end, Ordering::Relaxed);
    }
}

extern "C" fn begin(birth: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` passes the box that it made, once.
    let birth = unsafe { Box::from_raw(birth.cast::<Birth>()) };
    let Birth {
        body,
        argument,
        slot,
    } = *birth;
    control::become_slot(Some(slot));
    crash::use_stack(slot);
    let mut key = LAST.load(Ordering::Relaxed);
    if key == 0 {
        // SAFETY: only one thread runs at a time.
        unsafe { pthread_key_create(&raw mut key, last_round) };
        key += 1;
        LAST.store(key, Ordering::Relaxed);
    }
    // SAFETY: the key was created. The value counts the rounds of destructors.
    unsafe { pthread_setspecific(key - 1, FIRST_ROUND as *const c_void) };
    body(argument)
}

/// The number of the first round of destructors.
const FIRST_ROUND: usize = 1;

/// Is called with the number of the round of destructors; the C library makes four.
extern "C" fn last_round(round: *mut c_void) {
    let round = round as usize;
    if round < 4 {
        let key = LAST.load(Ordering::Relaxed) - 1;
        // SAFETY: the key was created.
        unsafe { pthread_setspecific(key, (round + 1) as *const c_void) };
        return;
    }
    end();
}

/// The thread ends. What it still does is the C library's business.
fn end() {
    control::announce("the end of the thread", Call::End, &[], 0);
    control::become_slot(None);
}

#[unsafe(no_mangle)]
extern "C" fn pthread_exit(value: *mut c_void) -> ! {
    let at = caller!();
    if control::my_index().is_some_and(is_first) {
        control::escape_at("pthread_exit in the main thread", at);
    }
    let exit = sys::real!(pthread_exit: extern "C" fn(*mut c_void) -> !);
    exit(value)
}

fn is_first(index: u32) -> bool {
    control::slot_at(index).is_some_and(|slot| slot.process.load(Ordering::Relaxed) == index)
}

/// The slot of a thread of this process.
fn slot_of(handle: u64) -> Option<u32> {
    let shared = control::shared()?;
    let process = control::me()?.process.load(Ordering::Relaxed);
    let used = shared.used.load(Ordering::Relaxed);
    (0..used).rev().find(|&index| {
        control::slot_at(index).is_some_and(|slot| {
            slot.process.load(Ordering::Relaxed) == process
                && slot.handle.load(Ordering::Relaxed) == handle
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn pthread_join(thread: u64, value: *mut *mut c_void) -> c_int {
    let at = caller!();
    let join = sys::real!(pthread_join: extern "C" fn(u64, *mut *mut c_void) -> c_int);
    let own = thread == {
        // SAFETY: always allowed.
        unsafe { pthread_self() }
    };
    if own {
        return sys::EDEADLK;
    }
    match slot_of(thread) {
        Some(index) => {
            call("pthread_join", Call::Join, &[u64::from(index)], at);
            let result = join(thread, value);
            // The C library may give the same handle to another thread now.
            if let Some(slot) = control::slot_at(index) {
                slot.handle.store(0, Ordering::Relaxed);
            }
            result
        }
        None if control::me().is_some() => control::over(
            "pthread_join",
            Call::Misuse,
            &[],
            "pthread_join of something that is no thread, or was joined already",
            at,
        ),
        None => join(thread, value),
    }
}

#[unsafe(no_mangle)]
extern "C" fn fork() -> c_int {
    let at = caller!();
    let fork = sys::real!(fork: extern "C" fn() -> c_int);
    if control::me().is_none() {
        return fork();
    }
    control::settle();
    note_heap();
    control::set_forked();
    let Some(index) = control::new_slot() else {
        return fork();
    };
    let Some(slot) = control::slot_at(index) else {
        return fork();
    };
    slot.process.store(index, Ordering::Relaxed);
    slot.caller.store(at, Ordering::Relaxed);
    let pid = fork();
    match pid {
        0 => {
            slot.pid.store(sys::own_pid(), Ordering::Relaxed);
            control::become_slot(Some(index));
            control::set_several(false);
            crash::use_stack(index);
        }
        pid if pid < 0 => control::drop_slot(index),
        pid => {
            slot.pid.store(pid as u32, Ordering::Relaxed);
            control::wait_for_child(index);
        }
    }
    pid
}

/// The process ends, with permission.
pub(crate) fn process_ends(status: c_int, at: u64) -> ! {
    if control::me().is_some() {
        pipe::close_all(at);
        call("exit", Call::Exit, &[status as u64 & 0xff], at);
    }
    sys::exit_group(status)
}

#[unsafe(no_mangle)]
extern "C" fn _exit(status: c_int) -> ! {
    process_ends(status, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn _Exit(status: c_int) -> ! {
    process_ends(status, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn quick_exit(status: c_int) -> ! {
    process_ends(status, caller!())
}

/// Children are looked up by the number that the system gave them.
fn child(pid: c_int) -> Option<u32> {
    let shared = control::shared()?;
    let used = shared.used.load(Ordering::Relaxed);
    let process = control::me()?.process.load(Ordering::Relaxed);
    (0..used).find(|&index| {
        is_first(index)
            && control::slot_at(index).is_some_and(|slot| {
                slot.pid.load(Ordering::Relaxed) == pid as u32
                    && control::slot_at(slot.parent.load(Ordering::Relaxed))
                        .is_some_and(|p| p.process.load(Ordering::Relaxed) == process)
            })
    })
}

fn wait_for(name: &str, pid: c_int, status: *mut c_int, options: c_int, at: u64) -> c_int {
    const WNOHANG: c_int = 1;
    let Some(mine) = control::me() else {
        return sys::fails(sys::ECHILD);
    };
    if options & !WNOHANG != 0 || pid == 0 || pid < -1 {
        control::escape_at("waitpid with these options", at);
    }
    let who = match pid {
        -1 => ANY,
        pid => match child(pid) {
            Some(index) => u64::from(index),
            None => return sys::fails(sys::ECHILD),
        },
    };
    let result = call(
        name,
        Call::Wait,
        &[who, u64::from(options & WNOHANG != 0)],
        at,
    );
    match result.unwrap_or(-1) {
        -1 => sys::fails(sys::ECHILD),
        0 => 0,
        index => {
            let code = mine.more.load(Ordering::Relaxed);
            // SAFETY: the program passes the address of a variable, or nothing.
            unsafe { sys::poke(status as usize, (code as c_int) << 8) };
            let slot = control::slot_at(index as u32 - 1);
            slot.map_or(-1, |slot| slot.pid.load(Ordering::Relaxed) as c_int)
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn wait(status: *mut c_int) -> c_int {
    wait_for("wait", -1, status, 0, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int {
    wait_for("waitpid", pid, status, options, caller!())
}
