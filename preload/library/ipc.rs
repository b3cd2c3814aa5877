//! System V: sets of semaphores, message queues and shared memory. They exist in the explorer only,
//! and last as long as the execution: nothing is left in the system. Shared memory lies in files
//! without a name, which the fork server has open for all.

use crate::control::{self, call, data, put_data};
use crate::protocol::{Call, DATA, MEMORY, QUEUES, SETS};
use crate::region;
use crate::sys::{self, caller};
use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

const IPC_RMID: c_int = 0;
const IPC_NOWAIT: u64 = 0o4000;
const MEMORIES: usize = 16;

/// Files for shared memory; -1 before the server made them.
static FILES: [AtomicI32; MEMORIES] = [const { AtomicI32::new(-1) }; MEMORIES];

unsafe extern "C" {
    fn memfd_create(name: *const c_char, flags: u32) -> c_int;
    fn dup(fd: c_int) -> c_int;
}

/// `struct sembuf`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Operation {
    number: u16,
    amount: i16,
    flags: i16,
}

/// Makes the files. The server does it once.
pub(crate) fn prepare() {
    for (index, file) in FILES.iter().enumerate() {
        // SAFETY: the name ends with a zero.
        let fd = unsafe { memfd_create(c"ample".as_ptr(), 1) };
        let high = sys::move_high(fd, 900 + index as i32);
        file.store(high, Ordering::Relaxed);
    }
}

/// Empties them. The server does it after each execution.
pub(crate) fn clean() {
    for file in &FILES {
        sys::set_length(file.load(Ordering::Relaxed), 0);
    }
}

/// The result of a function that returns -1 and sets `errno`, from a negative error.
fn result(answer: Option<i64>) -> c_int {
    match answer.unwrap_or(-i64::from(sys::EINVAL)) {
        error if error < 0 => sys::fails(-error as c_int),
        value => value as c_int,
    }
}

fn get(name: &str, sort: u64, key: c_int, flags: c_int, size: u64, at: u64) -> c_int {
    let args = [sort, u64::from(key as u32), flags as u64, size];
    result(call(name, Call::IpcGet, &args, at))
}

#[unsafe(no_mangle)]
extern "C" fn semget(key: c_int, count: c_int, flags: c_int) -> c_int {
    get("semget", SETS, key, flags, count as u64, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn msgget(key: c_int, flags: c_int) -> c_int {
    get("msgget", QUEUES, key, flags, 0, caller!())
}

#[unsafe(no_mangle)]
extern "C" fn shmget(key: c_int, size: usize, flags: c_int) -> c_int {
    let at = caller!();
    let id = get("shmget", MEMORY, key, flags, size as u64, at);
    memory(id, size, at);
    id
}

/// The file of shared memory, at least as long as this.
fn memory(id: c_int, size: usize, at: u64) -> c_int {
    if id < 0 {
        return -1;
    }
    let Some(file) = FILES.get(id as usize) else {
        control::escape_at("more than 16 pieces of shared memory", at);
    };
    let fd = file.load(Ordering::Relaxed);
    if size > 0 {
        sys::set_length(fd, size);
    }
    fd
}

#[unsafe(no_mangle)]
extern "C" fn shmat(id: c_int, address: usize, _: c_int) -> isize {
    let at = caller!();
    if address != 0 {
        control::escape_at("shmat at an address that the program chooses", at);
    }
    let fd = memory(id, 0, at);
    let length = sys::length(fd).unwrap_or(0);
    match region::attach(id as u64, fd, length, at) {
        0 => sys::fails(sys::EINVAL) as isize,
        address => address as isize,
    }
}

#[unsafe(no_mangle)]
extern "C" fn shmdt(address: usize) -> c_int {
    if region::detach(address) {
        0
    } else {
        sys::fails(sys::EINVAL)
    }
}

#[unsafe(no_mangle)]
extern "C" fn shmctl(id: c_int, command: c_int, _: *mut c_void) -> c_int {
    let at = caller!();
    if command != IPC_RMID {
        control::escape_at("shmctl: only IPC_RMID is supported", at);
    }
    result(call("shmctl", Call::IpcRemove, &[MEMORY, id as u64], at))
}

/// A name as a key.
fn key_of(name: *const c_char) -> c_int {
    // SAFETY: the program passes a text that ends with a zero.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    let hash = (bytes.iter()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 33) as c_int | 1
}

#[unsafe(no_mangle)]
extern "C" fn shm_open(name: *const c_char, flags: c_int, _: c_int) -> c_int {
    let at = caller!();
    const O_CREAT: c_int = 0o100;
    const O_EXCL: c_int = 0o200;
    const O_TRUNC: c_int = 0o1000;
    let mut ipc = 0;
    if flags & O_CREAT != 0 {
        ipc |= 0o1000;
    }
    if flags & O_EXCL != 0 {
        ipc |= 0o2000;
    }
    let id = get("shm_open", MEMORY, key_of(name), ipc, 0, at);
    let fd = memory(id, 0, at);
    if fd < 0 {
        return -1;
    }
    if flags & O_TRUNC != 0 {
        sys::set_length(fd, 0);
    }
    // SAFETY: the file is open.
    unsafe { dup(fd) }
}

#[unsafe(no_mangle)]
extern "C" fn shm_unlink(name: *const c_char) -> c_int {
    let at = caller!();
    let args = [MEMORY, u64::MAX, u64::from(key_of(name) as u32)];
    result(call("shm_unlink", Call::IpcRemove, &args, at))
}

#[unsafe(no_mangle)]
extern "C" fn semctl(id: c_int, number: c_int, command: c_int, value: usize) -> c_int {
    const GETVAL: c_int = 12;
    const SETVAL: c_int = 16;
    const SETALL: c_int = 17;
    let at = caller!();
    let mine = [id as u64, number as u64];
    match command {
        IPC_RMID => result(call("semctl", Call::IpcRemove, &[SETS, id as u64], at)),
        GETVAL => result(call("semctl", Call::SemAsk, &mine, at)),
        SETVAL => {
            let args = [mine[0], mine[1], value as u32 as u64];
            result(call("semctl", Call::SemSet, &args, at))
        }
        SETALL => {
            let Some(slot) = control::me() else { return -1 };
            let count = result(call("semctl", Call::SemAsk, &[mine[0], u64::MAX], at));
            for index in 0..count.max(0) as u64 {
                // SAFETY: the program passes as many numbers as the set has.
                let units = unsafe { sys::peek(value + 2 * index as usize, 2) };
                slot.length.store(0, Ordering::Relaxed);
                call("semctl", Call::SemSet, &[mine[0], index, units], at);
            }
            count.min(0)
        }
        _ => control::escape_at(
            "semctl: only SETVAL, SETALL, GETVAL and IPC_RMID are supported",
            at,
        ),
    }
}

#[unsafe(no_mangle)]
extern "C" fn semop(id: c_int, operations: *const Operation, count: usize) -> c_int {
    const SEM_UNDO: i16 = 0x1000;
    let at = caller!();
    let Some(slot) = control::me() else { return -1 };
    if count == 0 || count * 4 > DATA {
        return sys::fails(sys::EINVAL);
    }
    // SAFETY: the program passes an array of so many operations.
    let operations = unsafe { std::slice::from_raw_parts(operations, count) };
    let mut bytes = Vec::new();
    let mut no_wait = false;
    for operation in operations {
        if operation.flags & SEM_UNDO != 0 {
            control::escape_at("semop with SEM_UNDO", at);
        }
        no_wait |= operation.flags as u64 & IPC_NOWAIT != 0;
        bytes.extend(operation.number.to_le_bytes());
        bytes.extend(operation.amount.to_le_bytes());
    }
    if no_wait && count > 1 {
        control::escape_at("semop of several operations with IPC_NOWAIT", at);
    }
    put_data(slot, &bytes);
    result(call(
        "semop",
        Call::SemOp,
        &[id as u64, u64::from(no_wait)],
        at,
    ))
}

#[unsafe(no_mangle)]
extern "C" fn msgsnd(id: c_int, message: usize, length: usize, flags: c_int) -> c_int {
    let at = caller!();
    let Some(slot) = control::me() else { return -1 };
    if length > DATA {
        return sys::fails(sys::EINVAL);
    }
    // SAFETY: the program passes a message of this length after its type.
    let (sort, text) = unsafe {
        (
            sys::peek(message, 8),
            std::slice::from_raw_parts((message + 8) as *const u8, length),
        )
    };
    put_data(slot, text);
    let args = [id as u64, sort, u64::from(flags as u64 & IPC_NOWAIT != 0)];
    result(call("msgsnd", Call::MsgSend, &args, at))
}

#[unsafe(no_mangle)]
extern "C" fn msgrcv(
    id: c_int,
    message: *mut u8,
    room: usize,
    sort: c_long,
    flags: c_int,
) -> isize {
    let at = caller!();
    let Some(slot) = control::me() else { return -1 };
    if sort != 0 {
        control::escape_at("msgrcv of messages of a certain type", at);
    }
    let no_wait = u64::from(flags as u64 & IPC_NOWAIT != 0);
    let answer = result(call(
        "msgrcv",
        Call::MsgReceive,
        &[id as u64, 0, no_wait, room as u64],
        at,
    ));
    if answer < 0 {
        return -1;
    }
    let text = data(slot);
    let sort = slot.more.load(Ordering::Relaxed);
    // SAFETY: the program passes room for the type and so many bytes.
    unsafe {
        message.cast::<u64>().write_unaligned(sort);
        for (index, &byte) in text.iter().enumerate().take(room) {
            message.add(8 + index).write(byte);
        }
    }
    text.len().min(room) as isize
}

#[unsafe(no_mangle)]
extern "C" fn msgctl(id: c_int, command: c_int, _: *mut c_void) -> c_int {
    let at = caller!();
    if command != IPC_RMID {
        control::escape_at("msgctl: only IPC_RMID is supported", at);
    }
    result(call("msgctl", Call::IpcRemove, &[QUEUES, id as u64], at))
}
