//! How `codex exec` is called.

use crate::Access;
use crate::client::{ClientCall, Invocation};

/// A schema is taken from a file; the sandbox of the system holds all roles.
/// That of an applier would leave the folders for temporary files open, which the
/// commands of an implementer need. Whether these reach a network is for the
/// configuration of the user to say.
pub(super) fn call(asked: &ClientCall<'_>) -> Invocation {
    let call = Invocation::of(&["exec", "--json", "--skip-git-repo-check"])
        .and(&["-c", "check_for_update_on_startup=false"]);
    let call = match asked.access {
        Access::None | Access::Read => call.and(&["-s", "read-only"]),
        Access::Edit(_) => call
            .and(&["-s", "workspace-write"])
            .and(&["-c", "sandbox_workspace_write.exclude_slash_tmp=true"])
            .and(&["-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"]),
        Access::Implement if asked.is_confined => call.and(&["-s", "danger-full-access"]),
        Access::Implement => call.and(&["-s", "workspace-write"]),
    };
    let call = call.with("-m", asked.model);
    let mut call = match asked.schema {
        Some(_) => call.and(&["--output-schema", asked.schema_file]),
        None => call,
    };
    let file = |schema: &str| (asked.schema_file.into(), schema.to_owned());
    call.files.extend(asked.schema.map(file));
    match asked.follow_up {
        Some(thread) => call.and(&["resume", thread, "-"]),
        None => call.and(&["-"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::calls::{APPLIER, IMPLEMENTER, REVIEWER};

    #[test]
    fn a_reviewer_is_shut_in_and_answers_by_the_schema() {
        let call = call(&REVIEWER);
        assert_eq!(
            call.args,
            [
                "exec",
                "--json",
                "--skip-git-repo-check",
                "-c",
                "check_for_update_on_startup=false",
                "-s",
                "read-only",
                "--output-schema",
                "/run/answer.schema.json",
                "-",
            ]
        );
        let file = ("/run/answer.schema.json".into(), "{}".to_owned());
        assert_eq!((call.files, call.variables), (vec![file], vec![]));
    }

    #[test]
    fn a_follow_up_goes_on_in_its_thread() {
        let asked = ClientCall {
            follow_up: Some("th-1"),
            ..REVIEWER
        };
        let args = call(&asked).args;
        assert_eq!(args[args.len() - 3..], ["resume", "th-1", "-"]);
        assert_eq!(
            args[..args.len() - 3],
            call(&REVIEWER).args[..args.len() - 3]
        );
    }

    #[test]
    fn an_applier_may_write_in_the_folder_of_the_project() {
        let model = "gpt-5.2-codex".parse().unwrap();
        let asked = ClientCall {
            model: Some(&model),
            ..APPLIER
        };
        let call = call(&asked);
        assert_eq!(
            call.args,
            [
                "exec",
                "--json",
                "--skip-git-repo-check",
                "-c",
                "check_for_update_on_startup=false",
                "-s",
                "workspace-write",
                "-c",
                "sandbox_workspace_write.exclude_slash_tmp=true",
                "-c",
                "sandbox_workspace_write.exclude_tmpdir_env_var=true",
                "-m",
                "gpt-5.2-codex",
                "-",
            ]
        );
        assert_eq!(call.files, []);
    }

    #[test]
    fn an_implementer_in_a_sandbox_of_ours_has_none_of_its_own() {
        let asked = ClientCall {
            is_confined: true,
            ..IMPLEMENTER
        };
        assert_eq!(call(&asked).args[5..], ["-s", "danger-full-access", "-"]);
    }

    #[test]
    fn an_implementer_may_write_temporary_files_too() {
        let call = call(&IMPLEMENTER);
        assert_eq!(call.args[5..], ["-s", "workspace-write", "-"]);
        assert_eq!(call.files, []);
    }
}
