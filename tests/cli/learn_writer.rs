//! `ralph learn run` with a reviewer that writes the lessons.

use serde_json::{Value as Json, json};

use crate::learn_analyze::{CONFIG, analyzed, feedback, id, journal};
use crate::support::TestEnvironment;

pub(crate) const LESSON: &str = "Uploads hang because none of them has a timeout";
const CONSTRAINT: &str = "Set a timeout on every upload before it is started.";

/// An answer that cites these entries.
pub(crate) fn answer(cites: &[String]) -> String {
    let lesson = json!({
        "lesson_text": LESSON, "constraint_update": CONSTRAINT, "cites": cites,
    });
    lesson.to_string()
}

/// A project with feedback of the applier, whose reviewer keeps what it is asked
/// and then runs `script`.
fn project(count: usize, script: &str) -> TestEnvironment {
    let environment = TestEnvironment::new();
    feedback(&environment, "applier", count);
    let keep = "n=$(ls \"$HOME\" | grep -c asked); cat > \"$HOME/asked-$n\"";
    environment.program("sage", &format!("{keep}\n{script}"));
    environment
}

pub(crate) fn says(text: &str) -> String {
    format!("cat <<'END'\n{text}\nEND")
}

/// What the reviewer was asked, each time.
fn asked(environment: &TestEnvironment) -> Vec<String> {
    let file = |number: usize| environment.home().join(format!("asked-{number}"));
    let texts = (0..).map_while(|number| std::fs::read_to_string(file(number)).ok());
    texts.collect()
}

const SAGE: [&str; 2] = ["--reviewer", "cmd:sage"];

#[test]
fn a_lesson_is_in_the_words_of_the_reviewer_and_says_so() {
    let cites = [id(3), id(0)];
    let said = format!("It seems so:\n```json\n{}\n```", answer(&cites));
    let environment = project(9, &says(&said));
    let applier = &analyzed(&environment, &SAGE)[0];
    let lesson = &applier["proposed"][0];
    assert_eq!(lesson["lesson_text"], LESSON);
    assert_eq!(lesson["constraint_update"], CONSTRAINT);
    assert_eq!(lesson["exemplars"], json!(cites));
    assert_eq!(lesson["source_feedback"], json!([0, 1, 3, 5, 7].map(id)));
    assert_eq!(lesson["written_by"], "cmd lesson/v1 writer/v1");
    assert_eq!(lesson["status"], "proposed");
    assert_eq!(applier["writing"]["calls"], 1);
    assert_eq!(applier["writing"]["fallbacks"], json!([]));
    let asked = asked(&environment);
    let [asked] = &asked[..] else {
        panic!("one question: {asked:?}")
    };
    assert!(asked.contains("\nAgent: applier\n"), "{asked}");
    let marker = asked.lines().find(|line| line.ends_with(" feedback>>>"));
    let nonce = marker.unwrap().split(' ').next().unwrap();
    let data = asked
        .split(&format!("{nonce} feedback>>>\n"))
        .nth(1)
        .unwrap();
    let data = data.split(&format!("{nonce} end>>>")).next().unwrap();
    let data: Json = serde_json::from_str(data).unwrap();
    let ids: Vec<Json> = data["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(json!(ids), json!([0, 7, 3, 1, 5].map(id)));
    let generated = &journal(&environment)[3];
    assert_eq!(
        generated["type"],
        "learning.lesson_extraction.generate_lessons"
    );
    assert_eq!(generated["payload"]["writing"], applier["writing"]);
    // A lesson that is there is raised, and nobody is asked for it again.
    feedback(&environment, "applier", 9);
    let again = &analyzed(&environment, &SAGE)[0];
    assert_eq!(
        (&again["proposed"], &again["writing"]["calls"]),
        (&json!([]), &json!(0))
    );
}

#[test]
fn questions_have_a_budget_of_their_own() {
    for (arguments, calls, why) in [
        (["--max-calls", "1"], 1, "the budget of 1 call is used up"),
        (
            ["--max-tokens", "100"],
            0,
            "the budget of 100 tokens is used up",
        ),
    ] {
        let environment = project(9, &says("I cannot tell."));
        environment.program("mute", "cat >/dev/null; exit 1");
        let command = [&["--reviewer", "cmd:mute,cmd:sage"], &arguments[..]].concat();
        let applier = &analyzed(&environment, &command)[0];
        assert_eq!(applier["writing"]["calls"], calls);
        let reason = &applier["writing"]["fallbacks"][0]["reason"];
        assert_eq!(*reason, json!(why));
        assert_eq!(asked(&environment).len(), 0);
    }
}

#[test]
fn an_analysis_that_is_interrupted_writes_nothing() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let script = format!("kill -{signal} $PPID; exec tail -f /dev/null");
        let environment = project(9, &script);
        let command = ["learn", "run", "--reviewer", "cmd:sage"];
        let ran = environment.ralph(command).exits(code);
        assert_eq!(ran.stdout, "");
        assert!(!environment.root().join(".aiwg/.lessons").exists());
        assert!(
            !environment
                .root()
                .join(".ralph-review/learning.jsonl")
                .exists()
        );
    }
}

#[test]
fn nobody_is_asked_where_the_configuration_says_no() {
    let environment = project(9, &says(&answer(&[id(0)])));
    let config = CONFIG.replace(
        "learning_pipeline: {}",
        "learning_pipeline:\n  lesson_extraction: {llm_driven: false}",
    );
    environment.write(".aiwg/agent-learning.yaml", config);
    let ran = environment
        .ralph(["learn", "run", "--reviewer", "cmd:sage"])
        .exits(0);
    let told = "the reviewer is not asked: lesson_extraction.llm_driven is false";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(asked(&environment).len(), 0);
}
