//! Every command that help lists has a page for `man`; `.ci/archive` has them written.

use super::Cli;

#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads what it wrote")]
fn every_command_has_a_page_for_man() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("RALPH_WRITE_MAN");
    let folder = folder.map_or_else(|| temporary.path().to_owned(), Into::into);
    clap_mangen::generate_to(Cli::described(), &folder).unwrap();
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let commands = Cli::described();
    for command in commands.get_subcommands().filter(|one| !one.is_hide_set()) {
        let text = page(&format!("ralph-{}.1", command.get_name()));
        let about = command.get_about().unwrap().to_string();
        let first: String = about.split(['.', '-', '\'']).next().unwrap().to_owned();
        assert!(text.contains(&first), "{first}: {text}");
    }
    let waive = page("ralph-findings-waive.1");
    assert!(waive.contains("ralph\\-findings\\-waive"), "{waive}");
}

#[test]
fn the_command_line_is_consistent() {
    Cli::whole().debug_assert();
}
