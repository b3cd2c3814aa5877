//! Faults on purpose: each makes the explorer miss executions of a small C program.

use ample_preload::{Command, Fault, explore};
use ample_stateless::Options;
use std::path::Path;

/// A program for each fault.
const PROGRAMS: [(Fault, &str); 4] = [
    (
        Fault::ForgetCancelled,
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         static void *body(void *u) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return u; }
         int main(void) { pthread_t t; pthread_create(&t, NULL, body, NULL); return 0; }",
    ),
    (
        Fault::ForgetZombies,
        "int main(void) {
             for (int i = 0; i < 2; i++)
                 if (fork() == 0) { sched_yield(); _exit(i); }
             wait(NULL);
             wait(NULL);
             return 0;
         }",
    ),
    (
        Fault::ForgetAttempts,
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         static void *body(void *u) { if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m); return u; }
         int main(void) {
             pthread_t t;
             pthread_create(&t, NULL, body, NULL);
             pthread_mutex_lock(&m);
             pthread_mutex_unlock(&m);
             pthread_join(t, NULL);
             return 0;
         }",
    ),
    (
        Fault::ForgetMemory,
        "static int x;
         static void *body(void *u) { x++; return u; }
         int main(void) {
             pthread_t t;
             pthread_create(&t, NULL, body, NULL);
             x++;
             pthread_join(t, NULL);
             return 0;
         }",
    ),
];

/// Compiles a program; false if there is no compiler.
fn compile(folder: &Path, text: &str) -> bool {
    let headers = ["pthread.h", "sched.h", "sys/wait.h", "unistd.h"];
    let headers = headers.map(|h| format!("#include <{h}>\n")).concat();
    std::fs::write(folder.join("p.c"), headers + text).expect("a file");
    let gcc = std::process::Command::new("gcc")
        .args(["-fsanitize=thread", "-o"])
        .args([folder.join("p"), folder.join("p.c")])
        .status();
    if gcc.is_err() {
        let required = std::env::var_os("AMPLE_REQUIRE_SPIN").is_some();
        assert!(!required, "gcc is required, but not installed");
    }
    gcc.is_ok_and(|status| status.success())
}

#[test]
fn each_fault_is_noticed() {
    for (fault, text) in PROGRAMS {
        let folder = tempfile::tempdir().expect("a folder");
        if !compile(folder.path(), text) {
            return;
        }
        let executions = |fault| {
            let mut command = Command::new(folder.path().join("p"));
            command.fault = fault;
            let options = Options {
                findings: usize::MAX,
                ..Options::default()
            };
            let explored = explore(&command, &options, |_, _| {}).expect("it runs");
            assert_eq!(explored.escape, None);
            explored.report.executions
        };
        let (right, wrong) = (executions(None), executions(Some(fault)));
        assert!(
            wrong < right,
            "{fault:?}: {wrong} executions instead of {right}"
        );
    }
}
