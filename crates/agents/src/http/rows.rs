//! The APIs in one table.

use super::api::ApiRow;
use super::profile::Api;
use super::{anthropic, gemini, openai_chat, openai_responses};

impl Api {
    pub(super) const fn row(self) -> &'static ApiRow {
        match self {
            Self::Anthropic => &anthropic::ROW,
            Self::OpenaiChat => &openai_chat::ROW,
            Self::OpenaiResponses => &openai_responses::ROW,
            Self::Gemini => &gemini::ROW,
        }
    }
}
