//! Lessons in the words of a reviewer.

use review::NoSink;
use review_engine::learn::{Analyzed, LessonWriter, Words};
use review_learning::protocol::Trigger;
use review_test_support::http_server::{Server, stream};
use review_test_support::model_server::ModelServer;
use serde_json::{Value as Json, json};

use crate::learn::{Learning, agent, lesson_path};
use crate::learn_feedback::{analyzed, feedback, id, put};
use crate::support::{json as value, program, read};

const LESSON: &str = "Uploads hang because none of them has a timeout";
const CONSTRAINT: &str = "Set a timeout on every upload before it is started.";
const SAGE: &str = "reviewer = \"cmd:sage\"\n";

/// An answer that cites these entries.
fn answer(cites: &[String]) -> String {
    let lesson = json!({
        "lesson_text": LESSON, "constraint_update": CONSTRAINT, "cites": cites,
    });
    lesson.to_string()
}

fn says(text: &str) -> String {
    format!("cat <<'END'\n{text}\nEND")
}

/// A project with feedback, whose reviewer keeps what it is asked and then runs `script`.
fn project(count: usize, script: &str) -> Learning {
    let learning = Learning::new("[learning]\n");
    feedback(&learning, count);
    let keep = "n=$(ls \"$HOME\" | grep -c asked); cat > \"$HOME/asked-$n\"";
    program(&learning.workspace, "sage", &format!("{keep}\n{script}"));
    learning
}

/// What the reviewer was asked, each time.
fn asked(learning: &Learning) -> Vec<String> {
    let file = |number: usize| learning.workspace.home().join(format!("asked-{number}"));
    let texts = (0..).map_while(|number| std::fs::read_to_string(file(number)).ok());
    texts.collect()
}

/// The words of the reviewer of a configuration, or why nobody can be asked.
async fn words(learning: &Learning, config: &str) -> Result<Words<'static>, String> {
    let project = learning.workspace.project(&NoSink).unwrap();
    let config = learning.workspace.config(config).unwrap();
    let writer = LessonWriter::begin(&project, &config, &learning.config);
    let writer = Box::pin(writer).await.map_err(|error| error.to_string())?;
    Ok(Words::OfReviewer(Box::new(writer.unwrap())))
}

async fn written(learning: &Learning, config: &str) -> Analyzed {
    let mut words = words(learning, config).await.unwrap();
    analyzed(learning, Trigger::ManualRequest, &mut words).await
}

/// What was found, as a report writes it.
async fn found(learning: &Learning, config: &str) -> Json {
    value(&written(learning, config).await.extraction)
}

#[tokio::test]
async fn what_cannot_be_used_is_dropped_and_the_group_waits_for_words() {
    let other = answer(&[id(0)]).replace("Uploads hang", "Uploads are slow");
    let vague = answer(&[id(0)]).replace(LESSON, "The uploads could be better");
    let one_file = answer(&[id(0)]).replace("on every upload", "on the upload in src/a.rs");
    let advice = answer(&[id(0)]).replace(CONSTRAINT, "Consider a timeout on uploads");
    for (script, why) in [
        (says(&answer(&[])), "`cites` must name at least one entry"),
        (
            says(&answer(&[id(2)])),
            "which is not an entry of this feedback",
        ),
        (
            says(&vague),
            "contains \"could be better\", which is not specific",
        ),
        (
            says(&one_file),
            "contains \"src/a.rs\", which only one entry has",
        ),
        (
            says(&advice),
            "contains \"consider\", which is not specific",
        ),
        (
            says(&format!("{}\n{other}", answer(&[id(0)]))),
            "two different objects",
        ),
        (says("I cannot tell."), "no object with the keys"),
        ("exit 3".to_owned(), "exit status 3"),
        ("echo x >> specs/new.md; exit 1".to_owned(), "exit status 1"),
    ] {
        let found = found(&project(9, &script), SAGE).await;
        assert_eq!(found["proposed"], json!([]));
        assert_eq!(found["waiting"][0]["entries"], 5);
        let fallback = &found["writing"]["fallbacks"][0];
        assert_eq!(fallback["cluster"], 0);
        let reason = fallback["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_asked_for_once_more() {
    let vague = answer(&[id(0)]).replace(LESSON, "The uploads could be better");
    for (second, expected) in [
        (answer(&[id(0)]), json!(LESSON)),
        ("I cannot tell.".to_owned(), Json::Null),
    ] {
        let script = format!(
            "case $n in 0)\n{}\n;; *)\n{}\n;; esac",
            says(&vague),
            says(&second)
        );
        let learning = project(9, &script);
        let found = found(&learning, SAGE).await;
        assert_eq!(found["writing"]["calls"], 2);
        assert_eq!(found["proposed"][0]["lesson_text"], expected);
        let asked = asked(&learning);
        let told = "Your last answer could not be used: lesson_text - `lesson_text` contains \
                    \"could be better\", which is not specific.\nIt ended with:\n";
        assert!(!asked[0].contains("could not be used"), "{}", asked[0]);
        assert!(asked[1].contains(told), "{}", asked[1]);
        assert!(asked[1].contains(&vague), "{}", asked[1]);
    }
}

#[tokio::test]
async fn what_two_topics_teach_in_nearly_the_same_words_is_one_lesson_and_asked_for_once() {
    let said = answer(&["$id".to_owned()]);
    let script = format!(
        "id=$(sed -n 's/.*\"id\": \"\\([^\"]*\\)\".*/\\1/p' \"$HOME/asked-$n\" | head -n 1)\n\
         {}",
        says(&said).replace("'END'", "END")
    );
    let learning = project(9, &script);
    let parser = |number: usize| {
        let details = json!({
            "error_message": "The parser panics on an empty line",
            "correction": "Skip empty lines in the parser",
        });
        put(&learning, number, "review_rejection", &details);
    };
    (20..24).for_each(parser);
    let first = found(&learning, SAGE).await;
    assert_eq!(first["writing"]["calls"], 2);
    assert_eq!(first["proposed"].as_array().map(Vec::len), Some(1));
    let lesson = &first["proposed"][0];
    assert_eq!(
        (&lesson["clusters"], &lesson["occurrences"]),
        (&json!([0, 1]), &json!(9))
    );
    parser(24);
    for raised in [1, 0] {
        let again = found(&learning, SAGE).await;
        assert_eq!(again["writing"]["calls"], 0);
        assert_eq!(again["proposed"], json!([]));
        assert_eq!(again["raised"].as_array().map(Vec::len), Some(raised));
    }
    let kept = learning.lesson("applier", lesson["id"].as_str().unwrap());
    assert_eq!(
        (&kept["clusters"], &kept["occurrences"]),
        (&json!([0, 1]), &json!(10))
    );
    assert_eq!(asked(&learning).len(), 2);
}

#[tokio::test]
async fn whoever_is_asked_next_is_not_told_of_the_answer_of_another() {
    let script = format!("case $n in 0)\n{}\n;; *) exit 1;; esac", says("None."));
    let learning = project(9, &script);
    let next = format!("cat > \"$HOME/next\"\n{}", says(&answer(&[id(0)])));
    program(&learning.workspace, "next", &next);
    let found = found(&learning, "reviewer = \"cmd:sage,cmd:next\"\n").await;
    assert_eq!(found["writing"]["calls"], 3);
    assert_eq!(found["proposed"][0]["lesson_text"], LESSON);
    assert!(asked(&learning)[1].contains("could not be used"));
    let next = std::fs::read_to_string(learning.workspace.home().join("next")).unwrap();
    assert!(!next.contains("could not be used"), "{next}");
}

#[tokio::test]
async fn the_next_reviewer_of_a_chain_is_asked_where_one_gives_no_answer() {
    let learning = project(9, &says(&answer(&[id(0)])));
    program(&learning.workspace, "mute", "cat >/dev/null; exit 1");
    let found = found(&learning, "reviewer = \"cmd:mute,cmd:sage\"\n").await;
    assert_eq!(found["proposed"][0]["lesson_text"], LESSON);
    assert_eq!(found["writing"]["calls"], 2);
}

#[tokio::test]
async fn a_reviewer_words_what_waited_without_one_and_once() {
    let learning = project(9, &says(&answer(&[id(0)])));
    let waiting = analyzed(&learning, Trigger::ManualRequest, &mut Words::OfFeedback).await;
    let waiting = &waiting.extraction.waiting[0];
    let first = found(&learning, SAGE).await;
    assert_eq!(first["writing"]["calls"], 1);
    let lesson = &first["proposed"][0];
    assert_eq!(
        (&lesson["id"], &lesson["lesson_text"]),
        (&json!(waiting.id.as_str()), &json!(LESSON))
    );
    assert_eq!(found(&learning, SAGE).await["writing"]["calls"], 0);
}

/// A project with this many entries about the same.
fn alike(count: usize, script: &str) -> Learning {
    let learning = project(0, script);
    for number in 0..count {
        let details = json!({
            "error_message": format!("The upload in src/{number}.rs has no timeout"),
            "correction": "Set a timeout on the upload",
        });
        put(&learning, number, "review_rejection", &details);
    }
    learning
}

#[tokio::test]
async fn of_much_feedback_25_entries_are_shown_and_any_can_be_cited() {
    let learning = alike(60, &says(&answer(&[id(59)])));
    let found = found(&learning, SAGE).await;
    assert_eq!(found["writing"]["calls"], 1);
    let lesson = &found["proposed"][0];
    assert_eq!(
        (&lesson["lesson_text"], &lesson["exemplars"]),
        (&json!(LESSON), &json!([id(59)]))
    );
    let asked = asked(&learning);
    let shown = asked.iter().map(|text| text.matches("\"issue\"").count());
    assert_eq!(shown.collect::<Vec<_>>(), [25]);
}

#[tokio::test]
async fn the_template_is_the_users_own_text_or_file() {
    for (template, file) in [
        ("Learn from $this {{agent}}.", None),
        ("prompts/lesson.md", Some("Learn from $this {{agent}}.")),
        ("gone.md", None),
    ] {
        let mut learning = project(9, &says(&answer(&[id(0)])));
        if let Some(text) = file {
            learning.workspace.write(template, text).unwrap();
        }
        learning.configure(&format!(
            "[learning.learning_pipeline.lesson_extraction]\ntemplate = \"{template}\"\n"
        ));
        if template == "gone.md" {
            let told = words(&learning, SAGE).await.err().unwrap();
            assert!(told.starts_with("lesson_extraction.template: "), "{told}");
            continue;
        }
        let found = found(&learning, SAGE).await;
        let by = &found["proposed"][0]["written_by"];
        assert_eq!(*by, "cmd lesson/v1 template");
        let asked = asked(&learning);
        let start = "Learn from $this {{agent}}.\n\nAgent: applier\n";
        assert!(asked[0].starts_with(start), "{}", asked[0]);
    }
}

/// A project with its lesson, which the reviewer finds gone and another process puts there
/// while it is asked: `script` is what that does.
async fn overtaken(
    before: impl FnOnce(&Learning, &Json, &str) -> String,
) -> (Learning, String, Analyzed) {
    let learning = project(9, &says(&answer(&[id(0)])));
    let lesson = found(&learning, SAGE).await["proposed"][0].clone();
    let path = lesson_path("applier", lesson["id"].as_str().unwrap());
    std::fs::remove_file(learning.workspace.root().join(&path)).unwrap();
    let script = before(&learning, &lesson, &path);
    let root = learning.workspace.root();
    let script = format!(
        "cat >/dev/null\ncd {}\n{script}\n{}",
        root.display(),
        says(&answer(&[id(0)]))
    );
    program(&learning.workspace, "sage", &script);
    let written = written(&learning, SAGE).await;
    let told = "the lessons of applier were changed by another process; analyze again";
    assert_eq!(written.bad, [told]);
    assert!(written.extraction.proposed.is_empty());
    (learning, path, written)
}

#[tokio::test]
async fn a_lesson_that_somebody_decided_on_meanwhile_stays_as_it_is() {
    let mut approved = Json::Null;
    let (learning, path, _) = overtaken(|learning, lesson, path| {
        approved = lesson.clone();
        approved["status"] = json!("approved");
        approved["approved_by"] = json!("ann");
        learning
            .workspace
            .write("approved.json", &approved.to_string())
            .unwrap();
        format!("cp approved.json {path}")
    })
    .await;
    let kept: Json = serde_json::from_str(&read(&learning.workspace, &path)).unwrap();
    assert_eq!(kept, approved);
    // It is put into the prompt in the words that were approved.
    let learner = learning.learner();
    let evolution = learning.evolution(&learner, Trigger::LessonApproved);
    evolution.update(&agent("applier")).await.unwrap();
    let kept = learning.lesson("applier", approved["id"].as_str().unwrap());
    assert_eq!(kept["status"], "applied");
    for member in ["approved_by", "constraint_update", "lesson_text"] {
        assert_eq!(kept[member], approved[member], "{member}");
    }
}

#[tokio::test]
async fn an_analysis_that_another_one_overtakes_leaves_what_that_wrote() {
    let clusters = lesson_path("applier", "clusters");
    let mut others = String::new();
    let (learning, path, _) = overtaken(|learning, _, _| {
        others = read(&learning.workspace, &clusters).replace("\"next\":1", "\"next\":7");
        learning.workspace.write("others.json", &others).unwrap();
        format!("cp others.json {clusters}")
    })
    .await;
    assert_eq!(read(&learning.workspace, &clusters), others);
    assert!(!learning.workspace.root().join(path).exists());
}

const PRICES: &str = "[models.m-1]\ninput = 3\noutput = 15\n";

/// The profile of a model at `url`, and `settings` after it.
fn profile(url: &str, settings: &str) -> String {
    format!(
        "reviewer = \"http:local\"\n[http.local]\napi = \"chat_completions\"\n\
         base_url = \"{url}\"\nmodel = \"m-1\"\n{settings}"
    )
}

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

fn limit(cost: &str) -> String {
    format!("[learning.learning_pipeline.lesson_extraction]\nmax_cost = {cost}\n")
}

#[tokio::test]
async fn a_limit_of_cost_ends_the_questions() {
    for (cost, calls) in [("0.0006", 1), ("0.0012", 2)] {
        let model = model();
        let mut learning = project(9, "");
        learning.configure(&limit(cost));
        let found = found(&learning, &profile(&format!("{}/v1", model.url()), PRICES)).await;
        let writing = &found["writing"];
        assert_eq!(
            (&writing["calls"], &writing["cost_micro_usd"]),
            (&json!(calls), &json!(600 * calls))
        );
        assert_eq!(model.calls().len(), calls);
        assert_eq!(writing["fallbacks"].as_array().unwrap().len(), 2 - calls);
    }
}

#[tokio::test]
async fn a_limit_of_cost_without_a_price_is_refused_whatever_the_applier_is() {
    let model = model();
    let mut learning = project(9, "");
    learning.configure(&limit("1"));
    let url = format!("{}/v1", model.url());
    let told = words(&learning, &profile(&url, "")).await.err().unwrap();
    let why = "a limit of cost cannot be kept: what a call of http:local consumes is unknown";
    assert_eq!(told, why);
    assert_eq!(model.calls().len(), 0);
    let priced = format!("applier = \"cmd:true\"\n{}", profile(&url, PRICES));
    assert!(words(&learning, &priced).await.is_ok());
}

#[tokio::test]
async fn a_call_whose_cost_is_unknown_is_the_last_one_of_a_limit() {
    let said = json!({"model": "m-1", "choices": [
        {"delta": {"content": "I cannot tell."}, "finish_reason": "stop"},
    ]});
    let events = format!("data: {said}\n\ndata: [DONE]\n\n");
    let why = "the answer of the reviewer (http:m-1) is not a lesson: no object with the keys \
               lesson_text, constraint_update, cites";
    for (config, calls) in [(limit("1"), 1), ("[learning]\n".to_owned(), 2)] {
        let server = Server::always(stream(&events));
        let mut learning = alike(12, "");
        learning.configure(&config);
        let found = found(&learning, &profile(&server.url(), PRICES)).await;
        let writing = &found["writing"];
        assert_eq!(writing["fallbacks"], json!([{"cluster": 0, "reason": why}]));
        let counts = ["calls", "calls_without_cost", "cost_micro_usd"].map(|key| &writing[key]);
        assert_eq!(json!(counts), json!([calls, calls, 0]));
        assert_eq!(server.asked().len(), calls);
        assert_eq!(found["proposed"], json!([]));
    }
}
