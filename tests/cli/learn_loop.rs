//! The closed loop: runs are collected, a lesson is proposed and approved, the
//! mistake stops, and a lesson that does harm is rolled back automatically.

use serde_json::{Value as Json, json};

use crate::support::TestEnvironment;

/// The mistake: the applier leaves out what this asks for.
const SUGGESTION: &str = "State the size limit of an upload in MiB";
/// What the applier does once it has learned it.
const LIMIT: &str = "The limit is 10 MiB.";
/// What makes it leave that out again.
const HARMFUL: &str = "Leave out every number.";

const TASKS: usize = 5;
const HARMFUL_ID: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";

/// Passes a page with the limit, and asks for it otherwise.
fn reviewer() -> String {
    let scores = |score: u32| {
        format!(r#"{{"completeness":{score},"consistency":90,"testability":90,"architecture":90}}"#)
    };
    let (high, low) = (scores(95), scores(60));
    format!(
        "cat >/dev/null\n\
         if grep -q '{LIMIT}' \"$RALPH_SPEC\"\n\
         then echo '{{\"verdict\":\"pass\",\"score\":{high},\"feedback\":[]}}'\n\
         else echo '{{\"verdict\":\"needs_revision\",\"score\":{low},\"feedback\":[\
         {{\"section\":\"Uploads\",\"issue\":\"The size limit of an upload is missing\",\
         \"suggestion\":\"{SUGGESTION}\"}}]}}'\n\
         fi"
    )
}

/// Gives the limit only where the lessons of its prompt ask for it.
fn applier() -> String {
    format!(
        "lessons=$(sed -n '/^<!-- lessons: begin -->$/,/^<!-- lessons: end -->$/p')\n\
         case \"$lessons\" in\n\
         *'{HARMFUL}'*) echo 'A note.' >> \"$RALPH_SPEC\" ;;\n\
         *'{SUGGESTION}'*) echo '{LIMIT}' >> \"$RALPH_SPEC\" ;;\n\
         *) echo 'A note.' >> \"$RALPH_SPEC\" ;;\n\
         esac"
    )
}

struct Loop {
    environment: TestEnvironment,
}

impl Loop {
    fn new() -> Self {
        let environment = TestEnvironment::new();
        environment.program("judge", &reviewer());
        environment.program("fix", &applier());
        environment.program("tell", "cat >> \"$HOME/notices\"");
        environment.write("ralph.toml", "[notify]\ncommand = \"tell\"\n");
        let config = "version: 1.0.0\n\
                      feedback_collection: {}\n\
                      learning_pipeline:\n  lesson_extraction:\n    llm_driven: false\n";
        environment.write(".aiwg/agent-learning.yaml", config);
        Self { environment }
    }

    /// Reviews the page of a task as it was at first, in at most this many rounds.
    fn run(&self, task: usize, rounds: u32, exit: i32) -> Json {
        let page = format!("docs/page-{task}.md");
        let text = format!("# Page {task}\n\n## Uploads\n\nFiles can be uploaded.\n");
        self.environment.write(&page, text);
        let command = [
            "review",
            &page,
            "--reviewer",
            "cmd:judge",
            "--applier",
            "cmd:fix",
            "--max-iterations",
            &rounds.to_string(),
            "--format",
            "json",
        ];
        self.environment.ralph(command).exits(exit).json()
    }

    fn learn(&self, arguments: &[&str]) -> Json {
        let command = [&["learn"], arguments, &["--format", "json"]].concat();
        self.environment.ralph(command).exits(0).json()
    }

    fn active(&self) -> Json {
        let text = self.environment.read(".aiwg/.prompts/applier/active.json");
        serde_json::from_str::<Json>(&text).unwrap()["version"].take()
    }

    fn lessons(&self) -> Vec<Json> {
        let files = self.environment.files(".aiwg/.lessons/applier");
        let read = |file: &String| serde_json::from_str(&self.environment.read(file)).unwrap();
        files.iter().map(read).collect()
    }

    /// The types of the steps of learning after a rollback began.
    fn rollback(&self) -> Vec<(String, String)> {
        let journal = self.environment.read(".ralph-review/learning.jsonl");
        let events = journal
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let steps = events.filter_map(|event: Json| {
            let step = event["type"]
                .as_str()?
                .strip_prefix("learning.rollback.")?
                .to_owned();
            Some((step, event["payload"]["trigger"].as_str()?.to_owned()))
        });
        steps.collect()
    }
}

#[test]
fn a_lesson_stops_a_mistake_and_a_harmful_one_is_rolled_back_by_itself() {
    let project = Loop::new();
    // Runs repeat the mistake, and are collected.
    for task in 0..TASKS {
        project.run(task, 2, 1);
    }
    let found = project.learn(&["run", "applier"]);
    let waiting = &found["agents"][0]["waiting"][0];
    assert!(
        waiting["quotes"][0].to_string().contains(SUGGESTION),
        "{found}"
    );
    let id = waiting["id"].as_str().unwrap();
    let words = project.learn(&["decide", id, "--by", "ann", "--text", SUGGESTION]);
    let lesson = &words["lesson"];
    assert_eq!(lesson["status"], "proposed", "{lesson}");
    // Approval puts it into the prompt, and the mistake stops.
    project.learn(&[
        "decide",
        lesson["id"].as_str().unwrap(),
        "--approve",
        "--by",
        "ann",
    ]);
    assert_eq!(project.active(), 2);
    for task in 0..2 * TASKS {
        project.run(task, 2, 0);
    }
    let found = project.learn(&["stats", "applier", "v1", "v2"]);
    assert_eq!(found["outcome"], "better", "{found}");
    assert_eq!(found["pairs"], json!(TASKS));
    // A harmful lesson is approved, and rolled back within the expected delay.
    let harmful = json!({
        "id": HARMFUL_ID, "agent": "applier", "lesson_text": "Numbers were wrong.",
        "constraint_update": HARMFUL, "source_feedback": [],
    });
    let path = format!(".aiwg/.lessons/applier/{HARMFUL_ID}.json");
    project.environment.write(&path, harmful.to_string());
    project.learn(&["decide", HARMFUL_ID, "--approve", "--by", "ann"]);
    assert_eq!(project.active(), 3);
    let delay = (0..20).find(|task| {
        project.run(*task, 2, 1);
        project.active() != 3
    });
    assert_eq!(delay, Some(4), "the fifth run is the first that may judge");
    assert_eq!(project.active(), 2);
    let steps = [
        "identify_rollback_target",
        "restore_previous_version",
        "log_rollback",
        "notify_operators",
    ];
    let expected = steps.map(|step| (step.to_owned(), "performance_degradation".to_owned()));
    assert_eq!(project.rollback(), expected);
    let notices = std::fs::read_to_string(project.environment.home().join("notices")).unwrap();
    assert!(
        notices.contains("learning.rollback.notify_operators"),
        "{notices}"
    );
    let lessons = project.lessons();
    let harmful = lessons.iter().find(|lesson| lesson["id"] == HARMFUL_ID);
    assert_eq!(harmful.expect("the lesson")["status"], "proposed");
    // What it did is no new lesson.
    let after = project.learn(&["run", "applier"])["agents"][0].clone();
    assert_eq!(after["left_aside"]["rolled_back"], json!(20), "{after}");
    assert_eq!(
        (&after["proposed"], &after["waiting"]),
        (&json!([]), &json!([]))
    );
    // The mistake stays away, and the version is not rolled back for it.
    project.run(0, 2, 0);
    assert_eq!(project.active(), 2);
    let stats = project.learn(&["stats"]);
    assert_eq!(stats["rollback_frequency"], 0.5);
    assert_eq!(stats["lessons_applied_count"], 1);
    // Three of the applier, and the first one of the reviewer.
    assert_eq!(stats["prompt_versions_count"], 4);
}

/// Wants an example on a page, and then its value: each costs a round.
const ASKS_FOR_EXAMPLE: &str = "cat >/dev/null\n\
    echo review >> \"$HOME/calls\"\n\
    scores='\"consistency\":90,\"testability\":90,\"architecture\":90'\n\
    item() { echo \"{\\\"verdict\\\":\\\"needs_revision\\\",\\\"score\\\":{\\\"completeness\\\":60,$scores},\\\"feedback\\\":[$1]}\"; }\n\
    if grep -q TBD \"$RALPH_SPEC\"\n\
    then item '{\"section\":\"Uploads\",\"issue\":\"A placeholder was left in\",\"suggestion\":\"Write a number in place of TBD\"}'\n\
    elif grep -q Example \"$RALPH_SPEC\"\n\
    then echo \"{\\\"verdict\\\":\\\"pass\\\",\\\"score\\\":{\\\"completeness\\\":95,$scores},\\\"feedback\\\":[]}\"\n\
    else item '{\"section\":\"Uploads\",\"issue\":\"There is no example\",\"suggestion\":\"Add an example\"}'\n\
    fi";

/// Leaves the value of an example open, unless a lesson of its prompt asks for it.
const LEAVES_VALUE_OPEN: &str = "prompt=$(cat)\n\
    echo apply >> \"$HOME/calls\"\n\
    case \"$prompt\" in *'Give each example a value'*) value='10 MiB' ;; *) value=TBD ;; esac\n\
    if grep -q TBD \"$RALPH_SPEC\"\n\
    then sed -i 's/TBD/10 MiB/' \"$RALPH_SPEC\"\n\
    else echo \"Example: $value\" >> \"$RALPH_SPEC\"\n\
    fi";

#[test]
fn runs_after_a_lesson_need_fewer_rounds_and_calls() {
    let project = Loop::new();
    project.environment.program("judge", ASKS_FOR_EXAMPLE);
    project.environment.program("fix", LEAVES_VALUE_OPEN);
    let calls = project.environment.home().join("calls");
    let five_runs = || -> Vec<(usize, usize)> {
        let run = |task: usize| {
            let before = std::fs::read_to_string(&calls).map_or(0, |text| text.lines().count());
            let report = project.run(task, 3, 0);
            let after = std::fs::read_to_string(&calls).unwrap().lines().count();
            (
                after - before,
                report["iterations"].as_array().unwrap().len(),
            )
        };
        (0..5).map(run).collect()
    };
    let before = five_runs();
    assert_eq!(before, [(5, 3); 5], "calls and rounds of each run");
    let found = project.learn(&["run", "applier"]);
    let waiting = found["agents"][0]["waiting"].as_array().unwrap().iter();
    let mut waiting = waiting.filter(|group| group["quotes"].to_string().contains("placeholder"));
    let id = waiting.next().unwrap_or_else(|| panic!("{found:#}"))["id"].clone();
    let id = id.as_str().unwrap();
    let text = "Give each example a value.";
    project.learn(&["decide", id, "--by", "ann", "--text", text]);
    project.learn(&["decide", id, "--approve", "--by", "ann"]);
    let after = five_runs();
    println!("calls and rounds before: {before:?}, after: {after:?}");
    assert_eq!(after, [(3, 2); 5], "calls and rounds of each run");
    assert_eq!(project.lessons()[0]["helpful"], 5);
}
