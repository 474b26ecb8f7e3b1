//! The files that a shell command of codex reads: it has no tool that reads.

use review_document::command::{Invocation, Script, SimpleCommand};

/// Programs that print the files which they are called with.
const PRINT: [&str; 7] = ["cat", "head", "less", "more", "nl", "sed", "tail"];

/// Programs that read no file.
const READ_NONE: [&str; 8] = ["cd", "date", "echo", "ls", "mkdir", "printf", "pwd", "true"];

/// What a command reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FilesRead {
    /// The words that may name files which it reads.
    pub(super) files: Vec<String>,
    /// Whether it reads no other file.
    pub(super) is_all: bool,
}

/// What `command` reads; one that a shell is called with is looked into.
pub(super) fn files_read(command: &str) -> FilesRead {
    let words = shell_words::split(command).unwrap_or_default();
    match &*words {
        [shell, option, script] if is_shell(shell) && matches!(&**option, "-c" | "-lc") => {
            of_script(script)
        }
        _ => of_script(command),
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(name, "bash" | "sh" | "zsh")
}

fn of_script(script: &str) -> FilesRead {
    let script = Script::parse(script);
    let mut read = FilesRead {
        files: Vec::new(),
        is_all: !script.is_compound && !script.is_unfinished,
    };
    for (command, invocation) in script.commands().iter().zip(&script.invocations) {
        read.is_all &= add(command, invocation, &mut read.files);
    }
    read
}

/// Adds the files of one command; whether it reads no other.
fn add(command: &SimpleCommand<'_>, invocation: &Invocation<'_>, files: &mut Vec<String>) -> bool {
    let Some((program, args)) = command.words.split_first() else {
        return true;
    };
    let operands = args.iter().filter(|arg| !arg.text.starts_with('-'));
    let operands: Vec<_> = match &*program.text {
        "sed" => operands.skip(1).collect(),
        name if PRINT.contains(&name) => operands.collect(),
        _ => Vec::new(),
    };
    let input = command.redirects.iter().filter(|one| !one.writes);
    let named: Vec<_> = operands
        .into_iter()
        .chain(input.map(|one| &one.target))
        .collect();
    let paths = named.iter().filter(|word| word.is_literal());
    files.extend(paths.filter_map(|word| match word.text.starts_with('/') {
        true => Some(word.text.to_string()),
        false => invocation.folder.join(&word.text),
    }));
    let is_known = PRINT.contains(&&*program.text) || READ_NONE.contains(&&*program.text);
    is_known && named.iter().all(|word| word.is_literal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_a_command_prints_are_read() {
        for (command, files, is_all) in [
            ("cat a.md b.md", &["a.md", "b.md"][..], true),
            (
                "/bin/bash -lc \"sed -n '1,200p' specs/A.md\"",
                &["specs/A.md"],
                true,
            ),
            ("bash -lc 'nl -ba a.md | head -n 5'", &["a.md", "5"], true),
            ("sh -c 'cd specs && cat A.md'", &["specs/A.md"], true),
            ("/usr/bin/zsh -lc 'cat < a.md; ls -la'", &["a.md"], true),
            ("cat '/root/a b.md'", &["/root/a b.md"], true),
            ("pwd", &[], true),
            ("cat *.md", &[], false),
            ("cat \"$FILE\" a.md", &["a.md"], false),
            ("grep -rn limit .", &[], false),
            ("python3 -c \"print(open('a.md').read())\"", &[], false),
            ("for f in *; do cat $f; done", &[], false),
            ("cat 'a.md", &["a.md"], false),
            ("", &[], true),
        ] {
            let files = files.iter().map(|file| (*file).to_owned()).collect();
            assert_eq!(
                files_read(command),
                FilesRead { files, is_all },
                "{command}"
            );
        }
    }
}
