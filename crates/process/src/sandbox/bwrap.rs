//! The arguments of bubblewrap.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::rules::{FileAccess, FileRules};

/// The program dies with this process and with all that it started; it has no terminal,
/// sees no other process, and cannot mount anything, also as root.
const ALWAYS: [&str; 29] = [
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    // Settings of the kernel, which root may change without any capability.
    "--ro-bind-try",
    "/proc/sys",
    "/proc/sys",
    "--ro-bind-try",
    "/proc/sysrq-trigger",
    "/proc/sysrq-trigger",
    "--ro-bind-try",
    "/proc/irq",
    "/proc/irq",
    "--ro-bind-try",
    "/proc/bus",
    "/proc/bus",
    "--ro-bind-try",
    "/proc/fs",
    "/proc/fs",
];

/// The options by which bubblewrap holds a program to rules.
pub(super) fn arguments(rules: &FileRules, tmp: Option<&Path>, cwd: &Path) -> Vec<OsString> {
    let mut args: Vec<OsString> = ALWAYS.map(Into::into).into();
    let mut add = |words: &[&OsStr]| args.extend(words.iter().map(|word| (*word).to_owned()));
    if let Some(tmp) = tmp {
        add(&["--bind".as_ref(), tmp.as_ref(), "/tmp".as_ref()]);
    }
    let mut emptied = Vec::new();
    for (path, access) in rules.changes() {
        let name = path.as_os_str();
        match access {
            FileAccess::Write => add(&["--bind".as_ref(), name, name]),
            FileAccess::Read => add(&["--ro-bind".as_ref(), name, name]),
            FileAccess::Hidden if path.is_dir() => {
                add(&["--tmpfs".as_ref(), name]);
                emptied.push(name);
            }
            FileAccess::Hidden => add(&["--ro-bind".as_ref(), "/dev/null".as_ref(), name]),
        }
    }
    // Only now: what is mounted below needed a folder in them.
    for name in emptied {
        add(&["--remount-ro".as_ref(), name]);
    }
    add(&["--chdir".as_ref(), cwd.as_ref()]);
    args
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "rules are about files that exist"
)]
mod tests {
    use super::*;

    #[test]
    fn mounts_go_from_the_outside_to_the_inside() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("lane/tasks/1")).unwrap();
        std::fs::write(top.join("lane/key"), "").unwrap();
        let rules = FileRules::default()
            .with(&top, FileAccess::Write)
            .with(&top.join("lane"), FileAccess::Read)
            .with(&top.join("lane/key"), FileAccess::Hidden)
            .with(&top.join("lane/tasks"), FileAccess::Hidden)
            .with(&top.join("lane/tasks/1"), FileAccess::Write);
        let args = arguments(&rules, Some(Path::new("/var/t")), Path::new("/work"));
        let top = top.to_str().unwrap();
        let args: Vec<_> = args
            .iter()
            .skip(ALWAYS.len())
            .map(|arg| arg.to_str().unwrap().replace(top, "TOP"))
            .collect();
        assert_eq!(
            args.join(" "),
            "--bind /var/t /tmp --bind TOP TOP --ro-bind TOP/lane TOP/lane \
             --ro-bind /dev/null TOP/lane/key --tmpfs TOP/lane/tasks \
             --bind TOP/lane/tasks/1 TOP/lane/tasks/1 --remount-ro TOP/lane/tasks \
             --chdir /work"
        );
    }
}
