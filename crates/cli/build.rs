//! Has the linker fold functions with the same machine code in release builds,
//! where it can: the binary becomes 3 % smaller. A linker that does not know the
//! option links as usual. On Linux the program is linked for one address. The version of a
//! release build names its commit, where the sources are in a git checkout.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads what cargo sets and asks the linker"
)]

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const FOLD: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release && can_fold() == Some(true) {
        println!("cargo::rustc-link-arg-bins={FOLD}");
    }
    let mut version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    if let Some(commit) = commit().filter(|_| is_release) {
        version.push('+');
        version.push_str(&commit);
    }
    if starts_at_a_fixed_address() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    println!("cargo::rustc-env=RALPH_VERSION={version}");
}

/// Whether the program is linked for one address, as programs in Go are. The loader then
/// relocates nothing, which was most of the cost of a launcher; libraries, stack and heap
/// keep their random addresses.
fn starts_at_a_fixed_address() -> bool {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !features.split(',').any(|feature| feature == "crt-static")
}

/// The commit of the sources.
fn commit() -> Option<String> {
    let moves = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?).join("../../.git/logs/HEAD");
    if !moves.is_file() {
        return None;
    }
    println!("cargo::rerun-if-changed={}", moves.display());
    let mut git = Command::new("git");
    let told = git
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(told.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| told.status.success() && !commit.is_empty())
}

/// Whether an empty program links with the option.
fn can_fold() -> Option<bool> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let source = out.join("empty.rs");
    std::fs::write(&source, "fn main() {}").ok()?;
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let link_arg = format!("link-arg={FOLD}");
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc
        .args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()))
        .args(["--target", &env::var("TARGET").ok()?])
        .args(["--crate-type", "bin", "-C", &link_arg, "--out-dir"])
        .args([&out, &source])
        .stderr(Stdio::null());
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut flag = std::ffi::OsString::from("linker=");
        flag.push(linker);
        rustc.arg("-C").arg(flag);
    }
    rustc.status().ok().map(|status| status.success())
}
