//! `ample explore` on C programs: the examples, the numbers of the paper, findings of each kind, and that
//! nothing is left behind.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::cli::{Dir, Run, start};

const AMPLE: &str = env!("CARGO_BIN_EXE_ample");

/// Whether there is a C compiler; that there is none is an error when `AMPLE_REQUIRE_SPIN` is set.
fn can_compile() -> bool {
    let there = start(Path::new("."), "gcc", &["--version"], "").is_some();
    if !there {
        let required = std::env::var_os("AMPLE_REQUIRE_SPIN").is_some();
        assert!(!required, "gcc is required, but not installed");
        println!("gcc is not installed: nothing to explore");
    }
    there
}

/// Compiles a file of a folder; what it is called then.
fn compile(dir: &Dir, source: &Path, program: &str, options: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let include = format!("-I{}", root.join("preload/include").display());
    let source = source.to_str().expect("UTF-8");
    let always = ["-g", "-Wall", "-Wextra", &include, "-o", program];
    let args = [&always, options, &[source]].concat();
    let run = dir.other("gcc", &args).expect("gcc runs");
    assert!(run.code == 0 && run.err.is_empty(), "{run:?}");
}

/// A program of a few lines.
fn small(name: &str, text: &str, options: &[&str]) -> Option<Dir> {
    if !can_compile() {
        return None;
    }
    let dir = Dir::new(name);
    let head = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include \"ample.h\"\n";
    let source = dir.put("p.c", &format!("{head}{text}"));
    compile(&dir, &source, "p", options);
    Some(dir)
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/c")
        .join(name)
}

/// The number before a word of a report.
fn figure(run: &Run, word: &str) -> u64 {
    let line = run.out.lines().find(|line| line.contains(" executions, "));
    let line = line.unwrap_or_else(|| panic!("{run:?}"));
    let at = line.find(&format!(" {word}")).expect("the word");
    line[..at]
        .split_whitespace()
        .next_back()
        .expect("a number")
        .parse()
        .expect("a number")
}

/// The schedule that a report says to replay.
fn schedule(run: &Run) -> String {
    let line = run
        .out
        .lines()
        .find_map(|line| line.strip_prefix("schedule: "));
    line.unwrap_or_else(|| panic!("{run:?}")).to_owned()
}

#[test]
fn every_example_fails_where_it_is_broken_and_holds_where_it_is_repaired() {
    if !can_compile() {
        return;
    }
    let tsan: &[&str] = &["-fsanitize=thread"];
    let cases: [(&str, &[&str], &str); 5] = [
        (
            "philosophers",
            &[],
            "deadlock: main at semop(0, 0: -1) (change, philosophers.c:",
        ),
        (
            "lost_update",
            tsan,
            "main: assertion `balance == 30` failed",
        ),
        ("bounded_queue", tsan, "deadlock: "),
        ("reader_writer", tsan, "deadlock: "),
        (
            "abp",
            &[],
            "process 1: VS_assert(frame.data == next) failed",
        ),
    ];
    for (name, options, message) in cases {
        let dir = Dir::new(&format!("explore_{name}"));
        let source = example(&format!("{name}.c"));
        compile(&dir, &source, "broken", options);
        let run = dir.ample(&["explore", "broken"]).exits(1);
        assert!(run.out.contains(message), "{name}: {run:?}");
        // The schedule leads there again, in a new process.
        let again = dir
            .ample(&["explore", "--replay", &schedule(&run), "broken"])
            .exits(1);
        assert!(again.out.contains(message), "{name}: {again:?}");
        compile(
            &dir,
            &source,
            "repaired",
            &[options, &["-DREPAIRED"]].concat(),
        );
        let run = dir.ample(&["explore", "repaired"]).exits(0);
        assert!(run.out.starts_with("HOLDS  ./repaired"), "{name}: {run:?}");
    }
}

fn philosophers(n: u32, algorithm: &str) -> Run {
    let dir = Dir::new(&format!("explore_philosophers_{n}_{algorithm}"));
    let macros = format!("-DN={n}");
    compile(&dir, &example("philosophers.c"), "phil", &[&macros]);
    dir.ample(&[
        "explore",
        "--algorithm",
        algorithm,
        "--findings",
        "1000",
        "phil",
    ])
    .exits(1)
}

#[test]
fn philosophers_have_the_numbers_of_the_paper() {
    if !can_compile() {
        return;
    }
    for (n, steps) in [(2, 18), (3, 1680)] {
        assert_eq!(figure(&philosophers(n, "enumerate"), "steps"), steps);
    }
    for (n, executions) in [(2, 3), (3, 7), (4, 15)] {
        assert_eq!(
            figure(&philosophers(n, "optimal"), "executions"),
            executions
        );
    }
}

#[test]
#[ignore = "takes minutes"]
fn four_philosophers_have_the_number_of_the_paper() {
    if can_compile() {
        assert_eq!(figure(&philosophers(4, "enumerate"), "steps"), 386_816);
    }
}

const INCREMENTS: &str = "
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    static int x;
    static void *add(void *u) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }
    int main(void) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, add, NULL);
        for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
        assert(x == 4);
        return 0;
    }";

#[test]
fn four_increments_under_a_lock_have_24_executions() {
    for (name, options) in [("plain", &[][..]), ("tsan", &["-fsanitize=thread"][..])] {
        let Some(dir) = small(&format!("explore_increments_{name}"), INCREMENTS, options) else {
            return;
        };
        let run = dir.ample(&["explore", "p"]).exits(0);
        assert_eq!(figure(&run, "executions"), 24, "{run:?}");
    }
}

#[test]
fn several_sittings_make_the_executions_of_one() {
    let Some(dir) = small("explore_sittings", INCREMENTS, &[]) else {
        return;
    };
    dir.put("other.c", "int main(void) { return 0; }");
    compile(&dir, Path::new("other.c"), "other", &[]);
    let sitting = |more: &[&str]| dir.ample(&[&["explore", "--checkpoint", "left"], more].concat());
    let first = sitting(&["--executions", "10", "p"]).exits(3);
    assert_eq!(figure(&first, "executions"), 10, "{first:?}");
    for (other, why) in [
        (&["--resume", "other"][..], "another exploration"),
        (&["--resume", "--depth", "77", "p"], "another exploration"),
        (
            &["--resume", "--algorithm", "source", "p"],
            "only the optimal search",
        ),
    ] {
        let run = sitting(other).exits(2);
        assert!(run.err.contains(why), "{run:?}");
    }
    let second = sitting(&["--resume", "--executions", "17", "p"]).exits(3);
    assert_eq!(figure(&second, "executions"), 17, "{second:?}");
    let last = sitting(&["--resume", "p"]).exits(0);
    assert_eq!(figure(&last, "executions"), 24, "{last:?}");
    // Nothing is left, so there is no file to go on from.
    let run = sitting(&["--resume", "p"]).exits(2);
    assert!(run.err.contains("left"), "{run:?}");
}

/// The same report as text, as JSON, as a page, and once more from the JSON.
#[test]
fn findings_are_told_in_all_forms() {
    if !can_compile() {
        return;
    }
    let dir = Dir::new("explore_forms");
    let text = std::fs::read_to_string(example("philosophers.c")).expect("a text");
    dir.put("phil.c", &text);
    compile(&dir, Path::new("phil.c"), "phil", &[]);
    let run = dir
        .ample(&[
            "explore",
            "--format",
            "json",
            "--report",
            "page.html",
            "phil",
        ])
        .exits(1);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["findings"][0]["kind"], "deadlock");
    let page = dir.read("page.html");
    for part in [
        "<!doctype html>",
        "semop(0, 1: -1)",
        "phil.c",
        "change(",
        "\"lanes\"",
        "0 1",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    dir.put("report.json", &run.out);
    let again = [
        "explore",
        "--from",
        "report.json",
        "--format",
        "json",
        "--report",
        "again.html",
    ];
    let again = dir.ample(&again).exits(1);
    assert_eq!(again.out, run.out);
    assert_eq!(
        dir.read("again.html").replace("report.json", "./phil"),
        page
    );
    dir.put("other.json", "{}");
    let other = dir.ample(&["explore", "--from", "other.json"]).exits(2);
    assert!(other.err.contains("no report"), "{other:?}");
    // What is no page is not written over.
    let taken = dir
        .ample(&["explore", "--report", "phil.c", "phil"])
        .exits(2);
    assert!(taken.err.contains("not written over"), "{taken:?}");
}

/// Programs, what they are told to be wrong with, and the exit code.
#[test]
fn findings_of_each_kind() {
    let thread =
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static void *body(void *u) { ";
    let main = " return u; } int main(void) { pthread_t t; pthread_create(&t, NULL, body, NULL); pthread_join(t, NULL); return 0; }";
    let cases = [
        (
            "segv",
            "(void)m; *(volatile int *)8 = 1;",
            1,
            "thread 1 crashes: SIGSEGV at address 0x8 (body, p.c:6)",
        ),
        (
            "abort",
            "(void)m; abort();",
            1,
            "thread 1: abort was called (body, p.c:6)",
        ),
        (
            "assert",
            "(void)m; assert(u != NULL);",
            1,
            "thread 1: assertion `u != NULL` failed",
        ),
        (
            "divide",
            "(void)m; volatile int zero = 0; zero = 7 / zero;",
            1,
            "thread 1 crashes: SIGFPE",
        ),
        (
            "holds",
            "pthread_mutex_lock(&m);",
            1,
            "a thread ends while thread 1 has the lock m",
        ),
        (
            "unlock",
            "pthread_mutex_unlock(&m);",
            1,
            "thread 1 gives back a lock that it does not have: m",
        ),
        (
            "relock",
            "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
            1,
            "deadlock: ",
        ),
        (
            "diverges",
            "pthread_mutex_lock(&m); for (;;) ;",
            1,
            "divergence: thread 1 executes no visible operation",
        ),
        (
            "killed",
            "(void)m; kill(getpid(), 9);",
            1,
            "killed by signal 9",
        ),
        (
            "yields",
            "(void)m; for (;;) sleep(1);",
            3,
            "cut off after 50 steps",
        ),
        (
            "raw",
            "(void)m; syscall(1, 1, \"\", 0);",
            2,
            "syscall: raw system call 1 (body, p.c:6)",
        ),
        (
            "signal",
            "(void)m; signal(2, (void (*)(int))(void *)body);",
            2,
            "signal: a handler runs at any time (body, p.c:6)",
        ),
        (
            "poll",
            "(void)m; poll(NULL, 0, 0);",
            2,
            "poll: waiting for several files is not supported",
        ),
        (
            "toss",
            "(void)m; VS_assert(VS_toss(3) != 2);",
            1,
            "VS_assert(",
        ),
    ];
    for (name, body, code, message) in cases {
        let text = format!("#include <signal.h>\n#include <poll.h>\n{thread}{body}{main}");
        let text = text.replace(
            "#include <signal.h>\n#include <poll.h>\n",
            "#include <signal.h>\n#include <poll.h>\n#line 6 \"p.c\"\n",
        );
        let Some(dir) = small(
            &format!("explore_{name}"),
            &text,
            &["-D_GNU_SOURCE", "-Wno-error"],
        ) else {
            return;
        };
        let args = ["explore", "--depth", "50", "--divergence", "500ms", "p"];
        let run = dir.ample(&args).exits(code);
        assert!(run.text().contains(message), "{name}: {run:?}");
    }
}

/// Programs that hold in all executions, and how many there are.
#[test]
fn every_kind_of_object_does_what_it_should() {
    let cases = [
        // Recursive and error-checking mutexes answer their owner.
        ("mutexes", 6, "
            static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
            static void *body(void *u) {
                assert(pthread_mutex_lock(&r) == 0 && pthread_mutex_lock(&r) == 0 && pthread_mutex_trylock(&r) == 0);
                assert(pthread_mutex_unlock(&r) == 0 && pthread_mutex_unlock(&r) == 0 && pthread_mutex_unlock(&r) == 0);
                assert(pthread_mutex_unlock(&r) == EPERM);
                return u;
            }
            static void last(void) {
                assert(pthread_mutex_lock(&e) == 0 && pthread_mutex_lock(&e) == EDEADLK && pthread_mutex_trylock(&e) == EBUSY);
                assert(pthread_mutex_unlock(&e) == 0 && pthread_mutex_unlock(&e) == EPERM);
            }"),
        // One of two takes a spin lock; the other one may find it taken or free.
        ("spin", 4, "
            static pthread_spinlock_t s;
            static void *body(void *u) {
                if (pthread_spin_trylock(&s) == 0) pthread_spin_unlock(&s);
                return u;
            }
            static void last(void) { pthread_spin_init(&s, 0); pthread_spin_lock(&s); pthread_spin_unlock(&s); }"),
        ("barrier", 1, "
            static pthread_barrier_t b;
            static int serial;
            static void *body(void *u) {
                serial += pthread_barrier_wait(&b) != 0;
                serial += pthread_barrier_wait(&b) != 0;
                return u;
            }
            static __attribute__((constructor)) void first(void) { pthread_barrier_init(&b, NULL, 2); }
            static void last(void) { assert(serial == 2); }"),
        ("once", 2, "
            static pthread_once_t o = PTHREAD_ONCE_INIT;
            static int times;
            static void run(void) { times++; }
            static void *body(void *u) { pthread_once(&o, run); return u; }
            static void last(void) { pthread_once(&o, run); assert(times == 1); }"),
        // A reader beside a reader, and a writer alone.
        ("readers", 1, "
            static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
            static void *body(void *u) {
                assert(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_trywrlock(&l) == EBUSY);
                pthread_rwlock_unlock(&l);
                return u;
            }
            static void last(void) {
                assert(pthread_rwlock_wrlock(&l) == 0 && pthread_rwlock_wrlock(&l) == EDEADLK);
                pthread_rwlock_unlock(&l);
            }"),
        // The value of a semaphore, and threads that nobody joins.
        ("detached", 6, "
            static sem_t s;
            static void *post(void *u) { sem_post(&s); return u; }
            static void *body(void *u) {
                pthread_t t;
                pthread_create(&t, NULL, post, NULL);
                pthread_detach(t);
                return u;
            }
            static void last(void) { int v; sem_wait(&s); sem_wait(&s); sem_getvalue(&s, &v); assert(v == 0); }"),
    ];
    for (name, executions, text) in cases {
        let head = "#include <errno.h>\n#include <semaphore.h>\n";
        let main = "
            int main(void) {
                pthread_t t, u;
                pthread_create(&t, NULL, body, NULL);
                pthread_create(&u, NULL, body, NULL);
                pthread_join(t, NULL);
                pthread_join(u, NULL);
                last();
                return 0;
            }";
        let text = format!("{head}{text}{main}");
        let Some(dir) = small(&format!("explore_{name}"), &text, &["-D_GNU_SOURCE"]) else {
            return;
        };
        let run = dir.ample(&["explore", "--findings", "10", "p"]);
        println!(
            "{name}: {} executions, expected {executions}: {}",
            figure(&run, "executions"),
            run.text()
        );
        run.exits(0);
    }
}

/// Whether the parent sees the end of one child or of another first is a matter of order.
#[test]
fn any_child_may_end_first() {
    let text = "
        #include <sys/wait.h>
        int main(void) {
            int status;
            for (int i = 1; i <= 2; i++)
                if (fork() == 0) _exit(i);
            assert(wait(&status) > 0);
            VS_assert(WEXITSTATUS(status) == FIRST);
            assert(wait(&status) > 0);
            assert(wait(&status) == -1);
            return 0;
        }";
    for first in ["-DFIRST=1", "-DFIRST=2"] {
        let Some(dir) = small(&format!("explore_any{first}"), text, &[first]) else {
            return;
        };
        let run = dir.ample(&["explore", "p"]).exits(1);
        assert!(
            run.out
                .contains("VS_assert(WEXITSTATUS(status) == FIRST) failed"),
            "{run:?}"
        );
    }
}

/// The end of `main` ends the other thread: before it did anything, between its steps, or after.
#[test]
fn the_end_of_a_process_ends_its_threads() {
    let text = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static int done;
        static void *body(void *u) {
            pthread_mutex_lock(&m);
            done = 1;
            pthread_mutex_unlock(&m);
            done = 2;
            return u;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, NULL, body, NULL);
            sched_yield();
            if (done == WRONG) abort();
            return 0;
        }";
    let cases = [
        ("-DWRONG=0", "main: abort was called"),
        ("-DWRONG=1", "main: abort was called"),
        ("-DWRONG=2", "main: abort was called"),
        (
            "-DWRONG=3",
            "the process ends while thread 1 has the lock m",
        ),
    ];
    for (wrong, message) in cases {
        let options = [wrong, "-fsanitize=thread"];
        let Some(dir) = small(&format!("explore_end{wrong}"), text, &options) else {
            return;
        };
        let run = dir.ample(&["explore", "--findings", "10", "p"]).exits(1);
        assert!(run.out.contains(message), "{wrong}: {run:?}");
    }
}

/// Threads that are created by threads: their numbers depend on who was first, and a schedule must not.
#[test]
fn schedules_of_nested_threads_can_be_replayed() {
    let text = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static int order, wrong;
        static void *leaf(void *n) {
            pthread_mutex_lock(&m);
            order = 10 * order + (int)(long)n;
            if (order == 4321) wrong = 1;
            pthread_mutex_unlock(&m);
            return NULL;
        }
        static void *branch(void *n) {
            pthread_t t[2];
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
            for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, leaf, (void *)((long)n + i));
            for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
            return NULL;
        }
        int main(void) {
            pthread_t t[2];
            for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, branch, (void *)(2 * i + 1));
            for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
            VS_assert(!wrong);
            return 0;
        }";
    let Some(dir) = small("explore_nested", text, &[]) else {
        return;
    };
    let run = dir.ample(&["explore", "p"]).exits(1);
    let again = dir
        .ample(&["explore", "--replay", &schedule(&run), "p"])
        .exits(1);
    assert!(again.out.contains("VS_assert(!wrong) failed"), "{again:?}");
}

#[test]
fn what_is_no_program_is_refused() {
    let Some(dir) = small(
        "explore_refused",
        "int main(void) { return 0; }",
        &["-static"],
    ) else {
        return;
    };
    let run = dir.ample(&["explore", "p"]).exits(2);
    assert!(run.err.contains("is linked statically"), "{run:?}");
    let run = dir.ample(&["explore", "p.c"]).exits(2);
    assert!(
        run.err.contains("is no program for this machine"),
        "{run:?}"
    );
    let run = dir.ample(&["explore", "nothing"]).exits(2);
    assert!(run.err.contains("cannot read"), "{run:?}");
    let run = dir.ample(&["explore", "--replay", "x", "p"]).exits(2);
    assert!(run.err.contains("`x` is no step of a schedule"), "{run:?}");
    let run = dir.ample(&["explore", "--header"]).exits(0);
    assert!(run.out.contains("VS_toss"), "{run:?}");
}

/// Processes that run this program, and System V objects of the system.
fn left(program: &Path) -> (usize, String) {
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let running = processes.flatten().filter(|entry| {
        let exe = std::fs::read_link(entry.path().join("exe"));
        exe.is_ok_and(|exe| exe == program)
    });
    let mut objects = String::new();
    for sort in ["sem", "msg", "shm"] {
        let table = std::fs::read_to_string(format!("/proc/sysvipc/{sort}"));
        objects += &table.unwrap_or_default();
    }
    (running.count(), objects)
}

/// Waits until no process is left.
fn gone(program: &Path) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        if left(program).0 == 0 {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Three processes with all kinds of objects, one of which never ends.
const OBJECTS: &str = "
    #include <sys/ipc.h>
    #include <sys/msg.h>
    #include <sys/sem.h>
    #include <sys/shm.h>
    int main(void) {
        semget(1234, 2, IPC_CREAT | 0600);
        int q = msgget(IPC_PRIVATE, 0600);
        int *s = shmat(shmget(IPC_PRIVATE, 4096, 0600), 0, 0);
        struct { long type; char text[4]; } m = { 1, \"abc\" };
        *s = 0;
        for (int i = 0; i < 2; i++)
            if (fork() == 0) {
                msgrcv(q, &m, 4, 0, 0);
                *s += 1;
                if (LOOP) for (;;) ;
                _exit(0);
            }
        msgsnd(q, &m, 4, 0);
        if (!STUCK) msgsnd(q, &m, 4, 0);
        while (wait(NULL) > 0) ;
        VS_assert(*s == 2);
        return 0;
    }";

#[test]
fn nothing_is_left_behind() {
    let head = "#include <sys/wait.h>\n";
    let objects = |name: &str, macros: &[&str]| small(name, &format!("{head}{OBJECTS}"), macros);
    let before = |dir: &Dir| left(&dir.path().join("p"));
    // Success and failure.
    for (name, stuck, code) in [
        ("explore_left_0", "-DSTUCK=0", 0),
        ("explore_left_1", "-DSTUCK=1", 1),
    ] {
        let Some(dir) = objects(name, &["-DLOOP=0", stuck]) else {
            return;
        };
        let there = before(&dir);
        dir.ample(&["explore", "p"]).exits(code);
        assert_eq!(left(&dir.path().join("p")), there, "{name}");
    }
    // Ctrl-C, and the death of the explorer, of the server, of a process of the program: while a process loops.
    let dir = objects("explore_left_2", &["-DLOOP=1", "-DSTUCK=0"]).expect("gcc was there");
    let program = dir.path().join("p");
    let there = before(&dir);
    for (signal, target) in [
        ("INT", "ample"),
        ("KILL", "ample"),
        ("KILL", "oldest"),
        ("KILL", "newest"),
    ] {
        let mut ample = Command::new(AMPLE)
            .args(["explore", "--divergence", "2s", "p"])
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("ample runs");
        let begin = Instant::now();
        while left(&program).0 < 4 && begin.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut pids: Vec<u32> = std::fs::read_dir("/proc")
            .expect("/proc")
            .flatten()
            .filter(|e| std::fs::read_link(e.path().join("exe")).is_ok_and(|exe| exe == program))
            .filter_map(|e| e.file_name().to_str()?.parse().ok())
            .collect();
        pids.sort_unstable();
        let pid = match target {
            "ample" => ample.id(),
            "oldest" => pids[0],
            _ => pids[pids.len() - 1],
        };
        let kill = Command::new("kill")
            .args(["-s", signal, &pid.to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        ample.wait().expect("ample ends");
        assert!(
            gone(&program),
            "SIG{signal} to {target}: processes are left"
        );
        assert_eq!(left(&program), there, "SIG{signal} to {target}");
    }
}

/// Commands of a page, each with the lines that it prints.
fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in page.lines().map(str::trim) {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(line.to_owned()),
                (None, None) => panic!("output without a command: {line}"),
            },
            _ => {}
        }
    }
    commands
}

#[test]
fn the_tour_of_the_documentation_is_true() {
    if !can_compile() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/testing-real-code.md")).expect("the page");
    let dir = Dir::new("explore_tour");
    for entry in std::fs::read_dir(root.join("examples/c"))
        .expect("the examples")
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path()).expect("a text");
        dir.put(entry.file_name().to_str().expect("UTF-8"), &text);
    }
    let folder = Path::new(AMPLE).parent().expect("a folder").display();
    let commands = commands(&page);
    assert!(commands.len() > 8, "{commands:?}");
    for (command, lines) in commands {
        let run = dir.shell(&format!("PATH=\"{folder}:$PATH\"; {command}"));
        for expected in lines {
            // An ellipsis stands for anything.
            let parts: Vec<&str> = expected.split('…').map(str::trim).collect();
            let matches = |line: &str| {
                let mut rest = Some(line);
                for part in &parts {
                    rest = rest
                        .and_then(|rest| rest.split_once(part))
                        .map(|(_, rest)| rest);
                }
                rest.is_some()
            };
            assert!(
                run.out.lines().any(matches),
                "{command}: {expected}\n{run:?}"
            );
        }
    }
}
