//! The APIs in one table.

use super::api::ApiRow;
use super::profile::Api;
use super::{chat_completions, messages, responses};

impl Api {
    pub(super) const fn row(self) -> &'static ApiRow {
        match self {
            Self::Messages => &messages::ROW,
            Self::ChatCompletions => &chat_completions::ROW,
            Self::Responses => &responses::ROW,
        }
    }
}
