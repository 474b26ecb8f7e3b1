//! Signs the commits that land, as the user's repository asks for.

use crate::error::LaneError;
use crate::git::{Answer, Call, GitError};
use crate::lane::Lane;
use crate::object::CommitId;
use crate::options::LandMode;

/// The settings that decide how a commit is signed.
const SETTINGS: &str = r"^(gpg\..*|user\.signingkey)$";

/// Who made a commit, and when, as variables of git in the order of [`FORMAT`].
const IDENTITY: [&str; 6] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
];
const FORMAT: &str = "--format=%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";

/// A commit that could not be signed, with the reason of git.
pub(crate) struct NotSigned(pub(crate) String);

impl Lane {
    /// Returns the commits after `target` up to `tip` again, with the same trees and
    /// signatures of the user, if the user's repository has all commits signed. What stays
    /// on the lane is signed when it lands.
    pub(crate) async fn signed(
        &self,
        target: &CommitId,
        tip: CommitId,
        land: LandMode,
    ) -> Result<Result<CommitId, NotSigned>, LaneError> {
        let is_asked = match land {
            LandMode::Auto | LandMode::Branch => self.wants_signatures().await?,
            LandMode::Never => false,
        };
        if !is_asked || *target == tip {
            return Ok(Ok(tip));
        }
        let settings = self.sign_settings().await?;
        let range = format!("{target}..{tip}");
        let list = self.call().args(["rev-list", "--reverse", &range]);
        let list = list.done().await?;
        let mut parent = target.clone();
        for commit in list.line()?.lines() {
            let commit: CommitId = commit.parse().map_err(|_| list.unexpected())?;
            parent = match self.sign(&commit, &parent, &settings).await? {
                Ok(signed) => signed,
                Err(not_signed) => return Ok(Err(not_signed)),
            };
        }
        Ok(Ok(parent))
    }

    /// Makes a commit again after another parent, with a signature.
    async fn sign(
        &self,
        commit: &CommitId,
        parent: &CommitId,
        settings: &[String],
    ) -> Result<Result<CommitId, NotSigned>, LaneError> {
        let show = ["show", "-s", "--date=raw", FORMAT, commit.as_str()];
        let shown = self.call().args(show).line().await?;
        let mut parts = shown.splitn(IDENTITY.len() + 1, '\0');
        let tree = self.tree_of(commit).await?;
        let mut call = self.signing_call(settings);
        for (name, value) in IDENTITY.into_iter().zip(parts.by_ref()) {
            call = call.env(name, value);
        }
        let message = parts.next().unwrap_or_default().trim_end();
        let args = ["commit-tree", "-S", tree.as_str(), "-p", parent.as_str()];
        let call = call.args(args).args(["-F", "-"]).stdin(message.into());
        match call.answer().await {
            Ok(made) if made.succeeded() => {
                let made = made.line()?.parse().map_err(|_| made.unexpected())?;
                Ok(Ok(made))
            }
            Ok(failed) => Ok(Err(NotSigned(reason(&failed)))),
            Err(late @ GitError::Exceeded { .. }) => Ok(Err(NotSigned(late.to_string()))),
            Err(error) => Err(error.into()),
        }
    }

    /// A call on the repository of the lane, with these settings, from the folder in which
    /// the user's own git runs: paths of keys and programs start there.
    fn signing_call(&self, settings: &[String]) -> Call<'_> {
        let call = self.git.at(&self.note.source.top);
        let settings = settings.iter().flat_map(|setting| ["-c", setting]);
        let call = call.env("GIT_DIR", self.repository());
        call.args(settings)
    }

    /// The settings of the user's repository that decide how commits are signed.
    async fn sign_settings(&self) -> Result<Vec<String>, LaneError> {
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
        Ok(settings.collect())
    }
}

/// What git and the program that signs have printed, in one line.
fn reason(failed: &Answer) -> String {
    let message = failed.message();
    let lines = message.lines().map(str::trim);
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
