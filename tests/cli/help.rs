//! Help, versions and usage errors.

use crate::support::TestEnvironment;

#[test]
fn the_version_is_one_line() {
    let ran = TestEnvironment::new().ralph(["--version"]).exits(0);
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        (concat!("ralph ", env!("CARGO_PKG_VERSION"), "\n"), "")
    );
}
