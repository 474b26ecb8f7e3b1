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
fn what_cannot_be_used_is_dropped_and_the_group_waits_for_words() {
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
        let environment = project(9, &script);
        let command = ["learn", "run", "--format", "json"];
        let ran = environment.ralph(command.iter().chain(&SAGE)).exits(0);
        let applier = &ran.json()["agents"][0];
        assert_eq!(applier["proposed"], json!([]));
        assert_eq!(applier["waiting"][0]["entries"], 5);
        let fallback = &applier["writing"]["fallbacks"][0];
        assert_eq!(fallback["cluster"], 0);
        let reason = fallback["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
        let told = "applier, cluster 0 waits for words, since";
        assert_eq!(ran.stderr.matches(told).count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn an_answer_that_cannot_be_used_is_asked_for_once_more() {
    let vague = answer(&[id(0)]).replace(LESSON, "The uploads could be better");
    for (second, calls, expected) in [
        (answer(&[id(0)]), 2, json!(LESSON)),
        ("I cannot tell.".to_owned(), 2, Json::Null),
    ] {
        let script = format!(
            "case $n in 0)\n{}\n;; *)\n{}\n;; esac",
            says(&vague),
            says(&second)
        );
        let environment = project(9, &script);
        let applier = &analyzed(&environment, &SAGE)[0];
        assert_eq!(applier["writing"]["calls"], calls);
        assert_eq!(applier["proposed"][0]["lesson_text"], expected);
        let asked = asked(&environment);
        let told = "Your last answer could not be used: lesson_text - `lesson_text` contains \
                    \"could be better\", which is not specific.\nIt ended with:\n";
        assert!(!asked[0].contains("could not be used"), "{}", asked[0]);
        assert!(asked[1].contains(told), "{}", asked[1]);
        assert!(asked[1].contains(&vague), "{}", asked[1]);
    }
}

#[test]
fn what_two_topics_teach_in_nearly_the_same_words_is_one_lesson_and_asked_for_once() {
    let said = answer(&["$id".to_owned()]);
    let script = format!(
        "id=$(sed -n 's/.*\"id\": \"\\([^\"]*\\)\".*/\\1/p' \"$HOME/asked-$n\" | head -n 1)\n\
         {}",
        says(&said).replace("'END'", "END")
    );
    let environment = project(9, &script);
    let parser = |number: usize| {
        let entry = json!({
            "id": id(number), "agent": "applier", "timestamp": "2026-03-10T12:00:00Z",
            "type": "review_rejection", "context": {"session": format!("r-{number}")},
            "details": {
                "error_message": "The parser panics on an empty line",
                "correction": "Skip empty lines in the parser",
            },
        });
        let file = format!("20260310T120000Z-{}.json", id(number));
        environment.write(format!(".aiwg/.feedback/applier/{file}"), entry.to_string());
    };
    (20..24).for_each(parser);
    let first = &analyzed(&environment, &SAGE)[0];
    assert_eq!(first["writing"]["calls"], 2);
    assert_eq!(first["proposed"].as_array().map(Vec::len), Some(1));
    let lesson = &first["proposed"][0];
    assert_eq!(lesson["clusters"], json!([0, 1]));
    assert_eq!(lesson["occurrences"], 9);
    parser(24);
    for raised in [1, 0] {
        let again = &analyzed(&environment, &SAGE)[0];
        assert_eq!(again["writing"]["calls"], 0);
        assert_eq!(again["proposed"], json!([]));
        assert_eq!(again["raised"].as_array().map(Vec::len), Some(raised));
    }
    let path = format!(
        ".aiwg/.lessons/applier/{}.json",
        lesson["id"].as_str().unwrap()
    );
    let written: Json = serde_json::from_str(&environment.read(path)).unwrap();
    assert_eq!(written["clusters"], json!([0, 1]));
    assert_eq!(written["occurrences"], 10);
    assert_eq!(asked(&environment).len(), 2);
}

#[test]
fn whoever_is_asked_next_is_not_told_of_the_answer_of_another() {
    let script = format!("case $n in 0)\n{}\n;; *) exit 1;; esac", says("None."));
    let environment = project(9, &script);
    let keep = "cat > \"$HOME/next\"";
    environment.program("next", &format!("{keep}\n{}", says(&answer(&[id(0)]))));
    environment.write("ralph.toml", "reviewer = \"cmd:sage,cmd:next\"\n");
    let applier = &analyzed(&environment, &[])[0];
    assert_eq!(applier["writing"]["calls"], 3);
    assert_eq!(applier["proposed"][0]["lesson_text"], LESSON);
    assert!(asked(&environment)[1].contains("could not be used"));
    let next = std::fs::read_to_string(environment.home().join("next")).unwrap();
    assert!(!next.contains("could not be used"), "{next}");
}

#[test]
fn the_next_reviewer_of_a_chain_is_asked_where_one_gives_no_answer() {
    let environment = project(9, &says(&answer(&[id(0)])));
    environment.program("mute", "cat >/dev/null; exit 1");
    environment.write("ralph.toml", "reviewer = \"cmd:mute,cmd:sage\"\n");
    let applier = &analyzed(&environment, &[])[0];
    assert_eq!(applier["proposed"][0]["lesson_text"], LESSON);
    assert_eq!(applier["writing"]["calls"], 2);
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

/// A project with this many entries about the same.
pub(crate) fn alike(count: usize, script: &str) -> TestEnvironment {
    let environment = project(0, script);
    environment.write(".aiwg/agent-learning.yaml", CONFIG);
    for number in 0..count {
        let entry = json!({
            "id": id(number), "agent": "applier", "timestamp": "2026-03-01T12:00:00Z",
            "type": "review_rejection", "context": {"session": format!("r-{number}")},
            "details": {
                "error_message": format!("The upload in src/{number}.rs has no timeout"),
                "correction": "Set a timeout on the upload",
            },
        });
        let file = format!("20260301T120000Z-{}.json", id(number));
        environment.write(format!(".aiwg/.feedback/applier/{file}"), entry.to_string());
    }
    environment
}

#[test]
fn of_much_feedback_25_entries_are_shown_and_any_can_be_cited() {
    let environment = alike(60, &says(&answer(&[id(59)])));
    let applier = &analyzed(&environment, &SAGE)[0];
    assert_eq!(applier["writing"]["calls"], 1);
    let lesson = &applier["proposed"][0];
    assert_eq!(
        (&lesson["lesson_text"], &lesson["exemplars"]),
        (&json!(LESSON), &json!([id(59)]))
    );
    let asked = asked(&environment);
    let shown: Vec<usize> = asked
        .iter()
        .map(|text| text.matches("\"issue\"").count())
        .collect();
    assert_eq!(shown, [25]);
}

#[test]
fn the_template_is_the_users_own_text_or_file() {
    for (template, file) in [
        ("Learn from $this {{agent}}.", None),
        ("prompts/lesson.md", Some("Learn from $this {{agent}}.")),
    ] {
        let environment = project(9, &says(&answer(&[id(0)])));
        if let Some(text) = file {
            environment.write(template, text);
        }
        let table = format!(
            "[learning.learning_pipeline.lesson_extraction]\ntemplate = \"{template}\"\n[learning.feedback_collection.retention]\nmax_age_days = 100000\n"
        );
        environment.write("ralph.toml", table);
        let applier = &analyzed(&environment, &SAGE)[0];
        assert_eq!(
            applier["proposed"][0]["written_by"],
            "cmd lesson/v1 template"
        );
        let asked = asked(&environment);
        assert!(
            asked[0].starts_with("Learn from $this {{agent}}.\n\nAgent: applier\n"),
            "{}",
            asked[0]
        );
    }
    let environment = project(9, "");
    environment.write(
        "ralph.toml",
        "[learning.learning_pipeline.lesson_extraction]\ntemplate = \"gone.md\"\n\
         [learning.feedback_collection.retention]\nmax_age_days = 100000\n",
    );
    let ran = environment
        .ralph(["learn", "run", "--reviewer", "cmd:sage"])
        .exits(2);
    assert!(
        ran.stderr.contains("lesson_extraction.template"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_lesson_that_somebody_decided_on_meanwhile_stays_as_it_is() {
    let environment = project(9, &says(&answer(&[id(0)])));
    let lesson = analyzed(&environment, &SAGE)[0]["proposed"][0].clone();
    let lesson_id = lesson["id"].as_str().unwrap();
    let path = format!(".aiwg/.lessons/applier/{lesson_id}.json");
    let mut approved = lesson.clone();
    approved["status"] = json!("approved");
    approved["approved_by"] = json!("ann");
    environment.write("approved.json", approved.to_string());
    std::fs::remove_file(environment.root().join(&path)).unwrap();
    let script = format!("cp approved.json {path}\n{}", says(&answer(&[id(0)])));
    environment.program("sage", &format!("cat >/dev/null\n{script}"));
    let ran = environment.ralph(["learn", "run", "--reviewer", "cmd:sage"]);
    let told = "left out: the lessons of applier were changed by another process; analyze again";
    assert!(ran.exits(0).stderr.contains(told));
    // It is put into the prompt in the words that were approved.
    let kept: Json = serde_json::from_str(&environment.read(&path)).unwrap();
    assert_eq!(kept["status"], "applied");
    for member in ["approved_by", "constraint_update", "lesson_text"] {
        assert_eq!(kept[member], approved[member], "{member}");
    }
}

#[test]
fn an_analysis_that_another_one_overtakes_leaves_what_that_wrote() {
    let environment = project(9, &says(&answer(&[id(0)])));
    let lesson = analyzed(&environment, &SAGE)[0]["proposed"][0].clone();
    let folder = environment.root().join(".aiwg/.lessons/applier");
    let path = folder.join(format!("{}.json", lesson["id"].as_str().unwrap()));
    std::fs::remove_file(&path).unwrap();
    let clusters = ".aiwg/.lessons/applier/clusters.json";
    let others = environment
        .read(clusters)
        .replace("\"next\":1", "\"next\":7");
    environment.write("others.json", &others);
    let script = format!("cp others.json {clusters}\n{}", says(&answer(&[id(0)])));
    environment.program("sage", &format!("cat >/dev/null\n{script}"));
    let ran = environment.ralph(["learn", "run", "--reviewer", "cmd:sage", "--format", "json"]);
    let ran = ran.exits(0);
    let told = "left out: the lessons of applier were changed by another process; analyze again";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(ran.json()["agents"][0]["proposed"], json!([]));
    assert_eq!(environment.read(clusters), others);
    assert!(!path.exists());
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
