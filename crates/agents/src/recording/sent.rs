//! What a call sends.

use std::collections::BTreeMap;

use review_process::{Command, Environment, Redactor, Stdin};

use crate::http::Api;
use crate::transcript::Meta;

/// What a call sends, secrets and all.
#[derive(Default)]
pub(crate) struct SentRequest {
    /// The program and its arguments, or the method and the address.
    pub(crate) argv: Vec<Vec<u8>>,
    /// The variables that it sees.
    pub(crate) env: BTreeMap<String, Vec<u8>>,
    /// What it reads.
    pub(crate) stdin: Vec<u8>,
    /// The API that is spoken, where no program is called.
    pub(crate) api: Option<Api>,
}

impl SentRequest {
    pub(super) fn of_command(command: &Command) -> Self {
        let (Environment::Only(variables) | Environment::Inherit { set: variables }) = &command.env;
        let argv = std::iter::once(command.program.as_os_str());
        let argv = argv.chain(command.args.iter().map(AsRef::as_ref));
        Self {
            argv: argv.map(|word| word.as_encoded_bytes().to_vec()).collect(),
            env: variables
                .iter()
                .map(|(name, value)| {
                    let name = name.to_string_lossy().into_owned();
                    (name, value.as_encoded_bytes().to_vec())
                })
                .collect(),
            stdin: match &command.stdin {
                Stdin::Null => Vec::new(),
                Stdin::Bytes(bytes) => bytes.clone(),
            },
            api: None,
        }
    }

    /// What is kept of it under the name of its case.
    pub(super) fn meta(&self, case: &str, redactor: &Redactor) -> Meta {
        let clean = |text: &Vec<u8>| String::from_utf8_lossy(&redactor.redact(text)).into_owned();
        Meta {
            name: case.to_owned(),
            argv: self.argv.iter().map(clean).collect(),
            env: self
                .env
                .iter()
                .map(|(name, value)| (name.clone(), clean(value)))
                .collect(),
            api: self.api,
            ..Meta::default()
        }
    }
}
