//! Mutexes, spin locks, reader-writer locks, conditions, barriers, `pthread_once` and semaphores.
//!
//! The objects have no state here, only an address and what their initialisation left in memory: the
//! kind of a mutex, the units of a semaphore. An answer of the explorer is the function's result.

use crate::control::call;
use crate::protocol::{Call, NORMAL, SPIN};
use crate::region::locate;
use crate::sys::{self, ETIMEDOUT, caller};
use std::ffi::{c_int, c_uint, c_void};

type Init = extern "C" fn(u64, *const c_void) -> c_int;

/// An operation on the object at an address; 0 where nothing is controlled.
fn on(name: &str, what: Call, object: u64, rest: &[u64], at: u64) -> c_int {
    let (address, region) = locate(object);
    let mut args = [address, region, 0, 0, 0, 0];
    for (to, from) in args[2..].iter_mut().zip(rest) {
        *to = *from;
    }
    call(name, what, &args, at).unwrap_or(0) as c_int
}

/// The kind of a mutex, in its memory.
fn kind(mutex: u64) -> u64 {
    // The flags beside the type are for robust and priority mutexes.
    const KIND: usize = 16;
    const TYPE: u64 = 3;
    // SAFETY: the program passes a mutex.
    match unsafe { sys::peek(mutex as usize + KIND, 4) } & TYPE {
        3 => NORMAL,
        kind => kind,
    }
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_init(mutex: u64, attributes: *const c_void) -> c_int {
    let at = caller!();
    let init = sys::real!(pthread_mutex_init: Init);
    let result = init(mutex, attributes);
    on("pthread_mutex_init", Call::LockInit, mutex, &[], at);
    result
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_destroy(mutex: u64) -> c_int {
    on(
        "pthread_mutex_destroy",
        Call::LockInit,
        mutex,
        &[1],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_lock(mutex: u64) -> c_int {
    on(
        "pthread_mutex_lock",
        Call::Lock,
        mutex,
        &[kind(mutex)],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_trylock(mutex: u64) -> c_int {
    on(
        "pthread_mutex_trylock",
        Call::TryLock,
        mutex,
        &[kind(mutex)],
        caller!(),
    )
}

/// What a function with a limit of time returns when the attempt failed.
fn timed(result: c_int) -> c_int {
    if result == sys::EBUSY {
        ETIMEDOUT
    } else {
        result
    }
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_timedlock(mutex: u64, _: *const c_void) -> c_int {
    timed(on(
        "pthread_mutex_timedlock",
        Call::TryLock,
        mutex,
        &[kind(mutex)],
        caller!(),
    ))
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_clocklock(mutex: u64, _: c_int, _: *const c_void) -> c_int {
    timed(on(
        "pthread_mutex_clocklock",
        Call::TryLock,
        mutex,
        &[kind(mutex)],
        caller!(),
    ))
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_unlock(mutex: u64) -> c_int {
    on(
        "pthread_mutex_unlock",
        Call::Unlock,
        mutex,
        &[kind(mutex)],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_spin_init(lock: u64, _: c_int) -> c_int {
    on("pthread_spin_init", Call::LockInit, lock, &[], caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_spin_destroy(lock: u64) -> c_int {
    on(
        "pthread_spin_destroy",
        Call::LockInit,
        lock,
        &[1],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_spin_lock(lock: u64) -> c_int {
    on("pthread_spin_lock", Call::Lock, lock, &[SPIN], caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_spin_trylock(lock: u64) -> c_int {
    on(
        "pthread_spin_trylock",
        Call::TryLock,
        lock,
        &[SPIN],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_spin_unlock(lock: u64) -> c_int {
    on(
        "pthread_spin_unlock",
        Call::Unlock,
        lock,
        &[SPIN],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_init(lock: u64, attributes: *const c_void) -> c_int {
    let at = caller!();
    let init = sys::real!(pthread_rwlock_init: Init);
    let result = init(lock, attributes);
    on("pthread_rwlock_init", Call::RwInit, lock, &[], at);
    result
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_destroy(lock: u64) -> c_int {
    on(
        "pthread_rwlock_destroy",
        Call::RwInit,
        lock,
        &[1],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_rdlock(lock: u64) -> c_int {
    on(
        "pthread_rwlock_rdlock",
        Call::ReadLock,
        lock,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_tryrdlock(lock: u64) -> c_int {
    on(
        "pthread_rwlock_tryrdlock",
        Call::TryReadLock,
        lock,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_timedrdlock(lock: u64, _: *const c_void) -> c_int {
    timed(on(
        "pthread_rwlock_timedrdlock",
        Call::TryReadLock,
        lock,
        &[],
        caller!(),
    ))
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_wrlock(lock: u64) -> c_int {
    on(
        "pthread_rwlock_wrlock",
        Call::WriteLock,
        lock,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_trywrlock(lock: u64) -> c_int {
    on(
        "pthread_rwlock_trywrlock",
        Call::TryWriteLock,
        lock,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_timedwrlock(lock: u64, _: *const c_void) -> c_int {
    timed(on(
        "pthread_rwlock_timedwrlock",
        Call::TryWriteLock,
        lock,
        &[],
        caller!(),
    ))
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlock_unlock(lock: u64) -> c_int {
    on(
        "pthread_rwlock_unlock",
        Call::RwUnlock,
        lock,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_init(condition: u64, _: *const c_void) -> c_int {
    on(
        "pthread_cond_init",
        Call::CondInit,
        condition,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_destroy(condition: u64) -> c_int {
    on(
        "pthread_cond_destroy",
        Call::CondInit,
        condition,
        &[1],
        caller!(),
    )
}

fn wait_on(name: &str, condition: u64, mutex: u64, gives_up: bool, at: u64) -> c_int {
    let (address, region) = locate(mutex);
    let rest = [address, region, kind(mutex), u64::from(gives_up)];
    on(name, Call::CondWait, condition, &rest, at)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_wait(condition: u64, mutex: u64) -> c_int {
    wait_on("pthread_cond_wait", condition, mutex, false, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_timedwait(condition: u64, mutex: u64, _: *const c_void) -> c_int {
    wait_on("pthread_cond_timedwait", condition, mutex, true, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_clockwait(
    condition: u64,
    mutex: u64,
    _: c_int,
    _: *const c_void,
) -> c_int {
    wait_on("pthread_cond_clockwait", condition, mutex, true, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_signal(condition: u64) -> c_int {
    on(
        "pthread_cond_signal",
        Call::Signal,
        condition,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_broadcast(condition: u64) -> c_int {
    on(
        "pthread_cond_broadcast",
        Call::Broadcast,
        condition,
        &[],
        caller!(),
    )
}

type BarrierInit = extern "C" fn(u64, *const c_void, c_uint) -> c_int;

#[unsafe(no_mangle)]
extern "C" fn pthread_barrier_init(
    barrier: u64,
    attributes: *const c_void,
    count: c_uint,
) -> c_int {
    let at = caller!();
    let init = sys::real!(pthread_barrier_init: BarrierInit);
    let result = init(barrier, attributes, count);
    if result == 0 {
        on("pthread_barrier_init", Call::BarrierInit, barrier, &[], at);
    }
    result
}

#[unsafe(no_mangle)]
extern "C" fn pthread_barrier_destroy(barrier: u64) -> c_int {
    on(
        "pthread_barrier_destroy",
        Call::BarrierInit,
        barrier,
        &[],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn pthread_barrier_wait(barrier: u64) -> c_int {
    let at = caller!();
    // Where the C library keeps the number of threads.
    const COUNT: usize = 8;
    // SAFETY: the program passes a barrier.
    let count = unsafe { sys::peek(barrier as usize + COUNT, 4) };
    on("pthread_barrier_wait", Call::Barrier, barrier, &[count], at)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_once(once: u64, function: extern "C" fn()) -> c_int {
    let at = caller!();
    // Where nothing is controlled the C library does it, so that it knows.
    if crate::control::me().is_none() {
        let real = sys::real!(pthread_once: extern "C" fn(u64, extern "C" fn()) -> c_int);
        return real(once, function);
    }
    // SAFETY: the program passes a `pthread_once_t`. 2 means done for the C library.
    let before = unsafe { sys::peek(once as usize, 4) };
    if on("pthread_once", Call::Once, once, &[before], at) == 1 {
        function();
        on(
            "the end of pthread_once",
            Call::OnceDone,
            once,
            &[before],
            at,
        );
    }
    0
}

/// The units that `sem_init` left in memory.
fn units(semaphore: u64) -> u64 {
    // SAFETY: the program passes a semaphore.
    unsafe { sys::peek(semaphore as usize, 4) }
}

#[unsafe(no_mangle)]
extern "C" fn sem_init(semaphore: u64, _: c_int, value: c_uint) -> c_int {
    let at = caller!();
    // SAFETY: the program passes a semaphore.
    unsafe { sys::poke(semaphore as usize, value as c_int) };
    on(
        "sem_init",
        Call::SemInit,
        semaphore,
        &[u64::from(value)],
        at,
    )
}

#[unsafe(no_mangle)]
extern "C" fn sem_destroy(semaphore: u64) -> c_int {
    on("sem_destroy", Call::SemInit, semaphore, &[0, 1], caller!())
}

#[unsafe(no_mangle)]
extern "C" fn sem_wait(semaphore: u64) -> c_int {
    on(
        "sem_wait",
        Call::SemWait,
        semaphore,
        &[units(semaphore)],
        caller!(),
    )
}

/// An attempt on a semaphore; what is wrong goes to `errno`.
fn attempt(name: &str, semaphore: u64, error: c_int, at: u64) -> c_int {
    match on(name, Call::SemTry, semaphore, &[units(semaphore)], at) {
        0 => 0,
        _ => sys::fails(error),
    }
}

#[unsafe(no_mangle)]
extern "C" fn sem_trywait(semaphore: u64) -> c_int {
    attempt("sem_trywait", semaphore, sys::EAGAIN, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn sem_timedwait(semaphore: u64, _: *const c_void) -> c_int {
    attempt("sem_timedwait", semaphore, ETIMEDOUT, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn sem_clockwait(semaphore: u64, _: c_int, _: *const c_void) -> c_int {
    attempt("sem_clockwait", semaphore, ETIMEDOUT, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn sem_post(semaphore: u64) -> c_int {
    on(
        "sem_post",
        Call::SemPost,
        semaphore,
        &[units(semaphore)],
        caller!(),
    )
}

#[unsafe(no_mangle)]
extern "C" fn sem_getvalue(semaphore: u64, value: *mut c_int) -> c_int {
    let units = on(
        "sem_getvalue",
        Call::SemGet,
        semaphore,
        &[units(semaphore)],
        caller!(),
    );
    // SAFETY: the program passes the address of a variable.
    unsafe { sys::poke(value as usize, units) };
    0
}
