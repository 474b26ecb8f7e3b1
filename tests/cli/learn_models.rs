//! `ralph learn run` with a model over HTTP that writes the lessons.

use review_test_support::model_server::ModelServer;
use serde_json::json;

use crate::learn_analyze::{CONFIG, analyzed, feedback, id};
use crate::learn_writer::{LESSON, alike, answer};
use crate::support::TestEnvironment;
use review_test_support::http_server::{Server, stream};

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

#[test]
fn a_limit_of_cost_ends_the_questions() {
    let config = CONFIG.replace(
        "learning_pipeline: {}",
        "learning_pipeline:\n  lesson_extraction: {max_cost: 0.0006}",
    );
    for (config, arguments, calls) in [
        (CONFIG, &["--max-cost", "0.0006"][..], 1),
        (&config, &[], 1),
        (&config, &["--max-cost", "0.0012"], 2),
    ] {
        let model = model();
        let environment = project("chat_completions", &format!("{}/v1", model.url()), PRICES);
        environment.write(".aiwg/agent-learning.yaml", config);
        let applier = &analyzed(&environment, &[&LOCAL, arguments].concat())[0];
        let writing = &applier["writing"];
        assert_eq!(writing["calls"], calls);
        assert_eq!(writing["cost_micro_usd"], 600 * calls);
        assert_eq!(model.calls().len(), calls);
        let fallbacks = writing["fallbacks"].as_array().unwrap();
        assert_eq!(fallbacks.len(), 2 - calls);
    }
}

#[test]
fn a_limit_of_cost_without_a_price_is_refused() {
    let model = model();
    let environment = project("chat_completions", &format!("{}/v1", model.url()), "");
    let command = ["learn", "run", "--max-cost", "1"];
    let ran = environment.ralph(command.iter().chain(&LOCAL)).exits(2);
    let told = "a limit of cost cannot be kept: what a call of http:local consumes is unknown";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(model.calls().len(), 0);
    assert!(!environment.root().join(".aiwg/.lessons").exists());
    // The applier is not asked, whatever it is.
    let settings = format!("applier = \"cmd:true\"\n{PRICES}");
    let environment = project("chat_completions", &format!("{}/v1", model.url()), "");
    let toml = environment.read("ralph.toml");
    environment.write("ralph.toml", format!("{settings}{toml}"));
    environment.ralph(command.iter().chain(&LOCAL)).exits(0);
}

#[test]
fn a_call_whose_cost_is_unknown_is_the_last_one_of_a_limit() {
    let said = json!({"model": "m-1", "choices": [
        {"delta": {"content": "I cannot tell."}, "finish_reason": "stop"},
    ]});
    let events = format!("data: {said}\n\ndata: [DONE]\n\n");
    let why = "the answer of the reviewer (http:m-1) is not a lesson: no object with the keys \
               lesson_text, constraint_update, cites";
    for (arguments, calls) in [(&["--max-cost", "1"][..], 1), (&[], 2)] {
        let server = Server::always(stream(&events));
        let environment = alike(12, "");
        profile(&environment, "chat_completions", &server.url(), PRICES);
        let applier = &analyzed(&environment, &[&LOCAL, arguments].concat())[0];
        let fallbacks = json!([{"cluster": 0, "reason": why}]);
        let writing = &applier["writing"];
        assert_eq!(writing["fallbacks"], fallbacks);
        let counts = ["calls", "calls_without_cost", "cost_micro_usd"].map(|key| &writing[key]);
        assert_eq!(json!(counts), json!([calls, calls, 0]));
        assert_eq!(server.asked().len(), calls);
        assert_eq!(applier["proposed"], json!([]));
    }
}
