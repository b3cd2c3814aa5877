//! Looking at pages with a browser.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether Chromium is there. With `AMPLE_REQUIRE_CHROMIUM` it has to be.
pub(crate) fn chromium_is_there() -> bool {
    let there = Command::new("chromium")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let required = std::env::var_os("AMPLE_REQUIRE_CHROMIUM").is_some();
    assert!(there || !required, "chromium is not installed");
    there
}

/// Opens a page, whose address may have a fragment, with further options; what the browser writes to standard output.
fn open(page: &Path, fragment: &str, options: &[&str]) -> String {
    let profile = tempfile::tempdir().expect("a folder for the browser");
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(options)
        .arg(format!("file://{}{fragment}", page.display()))
        .stderr(Stdio::null())
        .output()
        .expect("chromium runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The document as it is once the page is open.
pub(crate) fn dom(page: &Path, fragment: &str) -> String {
    open(
        page,
        fragment,
        &[
            "--virtual-time-budget=4000",
            "--window-size=1400,1000",
            "--dump-dom",
        ],
    )
}

/// A picture of the page.
pub(crate) fn screenshot(page: &Path, fragment: &str, file: &Path, size: &str) {
    let file = format!("--screenshot={}", file.display());
    let size = format!("--window-size={size}");
    open(
        page,
        fragment,
        &["--virtual-time-budget=4000", &size, &file],
    );
}

/// The document of a page opened where people prefer dark colours.
pub(crate) fn dark_dom(page: &Path) -> String {
    open(
        page,
        "",
        &[
            "--virtual-time-budget=4000",
            "--blink-settings=preferredColorScheme=0",
            "--dump-dom",
        ],
    )
}

/// The page printed to a file in PDF.
pub(crate) fn print(page: &Path, file: &Path) {
    let file = format!("--print-to-pdf={}", file.display());
    open(page, "", &["--virtual-time-budget=4000", &file]);
}
