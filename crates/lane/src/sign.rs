//! Signs the commits that land, as the user's repository asks for.

use crate::error::LaneError;
use crate::git::{Answer, GitError};
use crate::lane::Lane;
use crate::object::{CommitId, TreeId};
use crate::options::LandMode;

/// The settings that decide how a commit is signed.
const SETTINGS: &str = r"^(gpg\..*|user\.signingkey)$";

/// How the user signs: the settings of the user's repository.
pub(crate) struct Signing(Vec<String>);

impl Lane {
    /// Returns how commits are signed, if the user has all commits signed and these are to
    /// land. What stays on the lane is signed when it lands.
    pub(crate) async fn signing(&self, land: LandMode) -> Result<Option<Signing>, LaneError> {
        let query = ["config", "--includes", "--type=bool", "commit.gpgSign"];
        let asked = self.user().args(query).answer().await?;
        if land == LandMode::Never || asked.stdout.trim_ascii() != b"true" {
            return Ok(None);
        }
        let list = ["config", "--includes", "-z", "--get-regexp", SETTINGS];
        // Without such a setting git ends with 1.
        let found = self.user().args(list).answer().await?;
        let settings = found.strings().map(|setting| {
            let setting = String::from_utf8_lossy(setting);
            match setting.split_once('\n') {
                Some((key, value)) => format!("{key}={value}"),
                None => setting.into_owned(),
            }
        });
        Ok(Some(Signing(settings.collect())))
    }

    /// Makes a commit with a signature; or why git cannot sign. The call starts from the
    /// folder in which the user's own git runs: paths of keys and programs start there.
    pub(crate) async fn commit_signed(
        &self,
        (tree, parent): (&TreeId, &CommitId),
        message: &str,
        signing: &Signing,
    ) -> Result<Result<CommitId, String>, LaneError> {
        let settings = signing.0.iter().flat_map(|setting| ["-c", setting]);
        let call = self.git.at(&self.note.source.top);
        let call = call.env("GIT_DIR", self.repository()).args(settings);
        let args = ["commit-tree", "-S", tree.as_str(), "-p", parent.as_str()];
        let call = call.args(args).args(["-F", "-"]).stdin(message.into());
        match call.answer().await {
            Ok(made) if made.succeeded() => {
                let made = made.line()?.parse().map_err(|_| made.unexpected())?;
                Ok(Ok(made))
            }
            Ok(failed) => Ok(Err(reason(&failed))),
            Err(late @ GitError::Exceeded { .. }) => Ok(Err(late.to_string())),
            Err(error) => Err(error.into()),
        }
    }
}

/// What git and the program that signs have printed, in one line.
fn reason(failed: &Answer) -> String {
    let message = failed.message();
    let lines = message.lines().map(str::trim);
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
