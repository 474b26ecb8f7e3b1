//! `ralph learn run` with a model over HTTP that writes the lessons.

use review_test_support::model_server::ModelServer;
use serde_json::json;

use crate::learn_analyze::{analyzed, feedback, id};
use crate::learn_writer::{LESSON, answer};
use crate::support::TestEnvironment;

const PRICES: &str = "[models.m-1]\ninput = 3\noutput = 15\n";

/// A model that is vague until that is rejected.
fn model() -> ModelServer {
    let vague = answer(&[id(0)]).replace(LESSON, "The uploads could be better");
    let says = |text: &str| json!({"parts": [{"text": text}], "input_tokens": 100});
    let again = "Your last answer could not be used: lesson_text - `lesson_text` contains ";
    let script = json!([
        {"name": "lesson", "when": {"said": again}, "reply": says(&answer(&[id(3)]))},
        {"name": "vague", "reply": says(&vague)},
    ]);
    ModelServer::start(serde_json::from_value(script).unwrap())
}

/// Writes the profile `local` of a model at `url`, and `settings` after it.
fn profile(environment: &TestEnvironment, api: &str, url: &str, settings: &str) {
    let profile = format!("[http.local]\napi = \"{api}\"\nbase_url = \"{url}\"\nmodel = \"m-1\"\n");
    environment.write("ralph.toml", format!("{profile}{settings}"));
}

/// A project with feedback of the applier, and the profile of a model at `url`.
fn project(api: &str, url: &str, settings: &str) -> TestEnvironment {
    let environment = TestEnvironment::new();
    feedback(&environment, "applier", 9);
    profile(&environment, api, url, settings);
    environment
}

const LOCAL: [&str; 2] = ["--reviewer", "http:local"];

#[test]
fn a_model_writes_a_lesson_once_it_knows_what_was_wrong() {
    for (api, path) in [
        ("chat_completions", "/v1"),
        ("responses", "/v1"),
        ("messages", ""),
    ] {
        let model = model();
        let environment = project(api, &format!("{}{path}", model.url()), PRICES);
        let applier = &analyzed(&environment, &LOCAL)[0];
        let expected = json!({
            "calls": 2, "tokens": 240, "cost_micro_usd": 1_200, "calls_without_cost": 0,
            "fallbacks": [],
        });
        assert_eq!(applier["writing"], expected, "{api}");
        let lesson = &applier["proposed"][0];
        assert_eq!(lesson["lesson_text"], LESSON);
        assert_eq!(lesson["exemplars"], json!([id(3)]));
        assert_eq!(lesson["written_by"], "http:m-1 lesson/v1 writer/v1");
        let rules: Vec<_> = model.calls().into_iter().map(|call| call.rule).collect();
        assert_eq!(rules, ["vague", "lesson"].map(|name| Some(name.to_owned())));
    }
}
