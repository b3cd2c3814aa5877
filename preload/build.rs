//! Builds the library that is loaded into C programs, so that this crate can carry it as bytes.
//!
//! The compiler is called directly: the library has no dependencies but the standard library, and a
//! nested `cargo` would need a lock file, a target directory and a network of its own. No C compiler
//! is needed beyond the linker that Rust uses anyway.
//!
//! The library is for programs that use the GNU C library. A build for another C library (musl, which has no shared libraries
//! in a static program) carries that for the machine on which it is built, if that one uses the GNU C library.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The only platform whose system calls the library knows.
const SUPPORTED: (&str, &str) = ("linux", "x86_64");

fn main() {
    println!("cargo::rerun-if-changed=library");
    println!("cargo::rerun-if-changed=src/protocol.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let out = PathBuf::from(variable("OUT_DIR")).join("library.so");
    let platform = (
        variable("CARGO_CFG_TARGET_OS"),
        variable("CARGO_CFG_TARGET_ARCH"),
    );
    if (platform.0.as_str(), platform.1.as_str()) != SUPPORTED {
        std::fs::write(&out, []).expect("OUT_DIR can be written");
        return;
    }
    let is_gnu = |target: &String| target == "x86_64-unknown-linux-gnu";
    let targets = [variable("TARGET"), variable("HOST")];
    let Some(target) = targets.iter().find(|target| is_gnu(target)) else {
        std::fs::write(&out, []).expect("OUT_DIR can be written");
        return;
    };
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args(["--edition", "2024", "--crate-type", "cdylib"])
        .args(["--crate-name", "library", "--target", target])
        .args(["-C", "opt-level=2", "-C", "panic=abort"])
        .args(["-C", "strip=symbols"])
        // Return addresses are found by the frame pointer, which must be set up at the very beginning.
        .args(["-C", "force-frame-pointers=yes"])
        .args(["-C", "llvm-args=-enable-shrink-wrap=false"])
        // The name of the sanitizer's library: a program that is linked with it gets this one instead.
        .args(["-C", "link-arg=-Wl,-soname,libtsan.so.2"])
        .arg("-o")
        .arg(&out)
        .arg("library/lib.rs");
    let linker = variable("RUSTC_LINKER");
    if !linker.is_empty() && *target == targets[0] {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    let status = rustc.status().expect("rustc can be started");
    assert!(status.success(), "rustc could not build the library");
}
