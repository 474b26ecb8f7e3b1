//! A question as it is sent.

use std::collections::BTreeMap;
use std::ffi::OsString;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request};

use super::api::Question;
use super::profile::HttpProfile;

/// Why a question cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RequestError {
    /// The variable of the key is not set, or empty.
    #[error("the variable {0}, which holds its key, is not set")]
    NoKey(String),
    /// The key cannot be sent.
    #[error(
        "the variable {0} does not hold a valid key: it has a line end or an invisible character"
    )]
    BadKey(String),
}

/// The request that asks `question`.
pub(super) fn ask(
    question: &Question<'_>,
    variables: &BTreeMap<OsString, OsString>,
) -> Result<Request, RequestError> {
    let profile = question.profile;
    let row = profile.api.row();
    let url = profile.base_url().below(row.path);
    let mut request = Request::new(Method::POST, url);
    *request.headers_mut() = headers(profile, variables)?;
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(CONTENT_TYPE, json);
    let body = (row.body)(question).to_string();
    *request.body_mut() = Some(body.into());
    Ok(request)
}

/// The request that has the models listed, which costs nothing.
pub(super) fn list_models(
    profile: &HttpProfile,
    variables: &BTreeMap<OsString, OsString>,
) -> Result<Request, RequestError> {
    let url = profile.base_url().below(profile.api.row().models);
    let mut request = Request::new(Method::GET, url);
    *request.headers_mut() = headers(profile, variables)?;
    Ok(request)
}

fn headers(
    profile: &HttpProfile,
    variables: &BTreeMap<OsString, OsString>,
) -> Result<HeaderMap, RequestError> {
    let row = profile.api.row();
    let mut headers: HeaderMap = row
        .headers
        .iter()
        .map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        })
        .collect();
    if let Some(name) = &profile.key_env {
        let name = name.as_str();
        let key = variables.get(std::ffi::OsStr::new(name));
        let key = key.map(|key| key.as_encoded_bytes().trim_ascii());
        let key = key.filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| RequestError::NoKey(name.to_owned()))?;
        let (header, before) = row.key;
        let value = HeaderValue::from_bytes(&[before.as_bytes(), key].concat());
        let mut value = value.map_err(|_| RequestError::BadKey(name.to_owned()))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(header), value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::super::api::tests::profile;
    use super::super::profile::Api;
    use super::*;

    fn variables(value: &str) -> BTreeMap<OsString, OsString> {
        BTreeMap::from([("KEY".into(), value.into())])
    }

    fn with_key(api: Api) -> HttpProfile {
        HttpProfile {
            key_env: Some("KEY".parse().unwrap()),
            ..profile(api)
        }
    }

    #[test]
    fn each_api_has_its_address_and_header() {
        for (api, url, models, header, value) in [
            (
                Api::Messages,
                "https://api.anthropic.com/v1/messages",
                "https://api.anthropic.com/v1/models",
                "x-api-key",
                "k 1",
            ),
            (
                Api::ChatCompletions,
                "https://api.openai.com/v1/chat/completions",
                "https://api.openai.com/v1/models",
                "authorization",
                "Bearer k 1",
            ),
            (
                Api::Responses,
                "https://api.openai.com/v1/responses",
                "https://api.openai.com/v1/models",
                "authorization",
                "Bearer k 1",
            ),
        ] {
            let profile = with_key(api);
            let question = Question {
                profile: &profile,
                prompt: "",
                schema: None,
            };
            let asked = ask(&question, &variables(" k 1\n")).unwrap();
            assert_eq!((asked.method(), asked.url().as_str()), (&Method::POST, url));
            assert_eq!(asked.headers()[header], value);
            assert!(asked.headers()[header].is_sensitive());
            assert_eq!(asked.headers()[CONTENT_TYPE], "application/json");
            let listed = list_models(&profile, &variables("k 1")).unwrap();
            assert_eq!(
                (listed.method(), listed.url().as_str()),
                (&Method::GET, models)
            );
            assert_eq!(listed.headers()[header], value);
        }
    }

    #[test]
    fn a_key_that_is_missing_or_none_is_named_by_its_variable() {
        let no_key = RequestError::NoKey("KEY".to_owned());
        let bad_key = RequestError::BadKey("KEY".to_owned());
        for (variables, error) in [
            (BTreeMap::new(), no_key.clone()),
            (variables(" \n"), no_key),
            (variables("a\nb"), bad_key),
        ] {
            let found = list_models(&with_key(Api::Messages), &variables);
            assert_eq!(found.unwrap_err(), error);
        }
        let open = list_models(&profile(Api::ChatCompletions), &BTreeMap::new()).unwrap();
        assert_eq!(open.headers().get("authorization"), None);
    }
}
