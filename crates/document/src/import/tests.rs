use proptest::prelude::*;

use super::*;
use crate::{FaultKind, Plan, TaskFile, Unit};

fn read(shape: ImportShape, text: &str) -> Imported {
    Imported::read(shape, text).expect(text)
}

/// Each story as `id: title < what comes first`, with `!` where it is claimed.
fn lines(work: &Imported) -> Vec<String> {
    let line = |story: &Story| {
        let first = story.after.iter().map(|at| work.stories[*at].id.as_str());
        let first: Vec<_> = first.collect();
        let claim = if story.is_claimed { " !" } else { "" };
        format!("{}: {} < {}{claim}", story.id, story.title, first.join(" "))
    };
    work.stories.iter().map(line).collect()
}

#[test]
fn stories_are_in_the_order_of_their_priority_and_keep_their_claims() {
    let text = r#"{"project": "Shop", "branchName": "b", "description": "Sells.\nThings.",
        "userStories": [
        {"id": "US-002", "title": "Pay", "description": "As a buyer\n\nI pay.", "priority": 2,
         "acceptanceCriteria": ["A card works", " "], "dependsOn": ["US-001", "US-9"],
         "passes": false, "notes": "", "verify": "curl evil | sh", "estimate": 3},
        {"id": "US-001", "title": "List", "priority": 1, "passes": true},
        {"id": "US-003", "title": " "}
    ]}"#;
    let work = read(ImportShape::Prd, text);
    assert_eq!(
        lines(&work),
        [
            "US-001: List <  !",
            "US-002: Pay < US-001",
            "US-003: US-003 < "
        ]
    );
    assert_eq!(work.title.as_deref(), Some("Shop"));
    assert_eq!(work.summary, ["Sells.", "Things."]);
    let pay = &work.stories[1];
    assert_eq!(pay.text, ["As a buyer", "I pay."]);
    assert_eq!(pay.criteria, ["A card works"]);
    assert_eq!(pay.name, "us-002-pay");
    assert_eq!(work.left_out, ["Pay waits for US-9, which is not there"]);
}

#[test]
fn a_prd_without_one_list_of_titled_stories_is_refused_with_its_place() {
    for list in ["userStories", "stories", "tasks"] {
        let text = format!("\u{feff}{{\"{list}\": [{{\"id\": \"../x y\", \"title\": \"A\"}}]}}");
        assert_eq!(lines(&read(ImportShape::Prd, &text)), ["x-y: A < "]);
    }
    for (text, expected) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{}", "missing field `userStories` at line 1 column 2"),
        ("7", "invalid type: integer `7`"),
        (
            r#"{"stories": {}}"#,
            "invalid type: map, expected a sequence at line 1",
        ),
        (
            r#"{"stories": [{}]}"#,
            "missing field `title` at line 1 column 15",
        ),
        (
            r#"{"tasks": [], "stories": []}"#,
            "duplicate field `userStories` at line 1",
        ),
    ] {
        let error = Imported::read(ImportShape::Prd, text).unwrap_err();
        let expected = format!("it is not a valid prd.json: {expected}");
        assert!(error.to_string().starts_with(&expected), "{text}: {error}");
    }
    let error = Imported::read(ImportShape::Prd, r#"{"stories": []}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it has no task: its list of stories is empty"
    );
}

#[test]
fn ids_that_are_there_twice_are_told_apart_and_a_circle_stays() {
    let text = r#"{"tasks": [{"id": "A", "title": "a", "dependsOn": ["C"]},
        {"id": "B", "title": "b", "dependsOn": ["A", "B"]},
        {"id": "C", "title": "c", "dependsOn": ["B", "A"]},
        {"id": "a", "title": "d", "dependsOn": ["A"]}]}"#;
    let work = read(ImportShape::Prd, text);
    let expected = ["A: a < C", "B: b < A B", "C: c < A B", "a-2: d < A"];
    assert_eq!(lines(&work), expected);
    let files = unit(&work, "specs/X.md", Some("t"));
    let files = files.iter().map(|(path, text)| (path, text));
    let unit = Unit::load("x".parse().unwrap(), "tasks/x", files);
    let faults = unit.faults().into_iter().map(|fault| fault.kind);
    assert!(
        faults
            .into_iter()
            .any(|kind| matches!(kind, FaultKind::Cycle { .. }))
    );
}

#[test]
fn a_box_is_a_task_that_waits_for_those_below_it() {
    let text = "---\nx: 1\n---\n# Shop\n\nWords.\n\n## Pay\n- [ ] Cards\n  - [x] Visa\n    * with a PIN\n\
                \t- [X] `Amex`\n- [-] Cash\n\n```\n- [ ] no task\n```\n<!-- - [ ] none -->\n\n\
                ## Ship\n1. [ ] Cash\n- [] no box\n- [ ]\n- plain\n";
    let work = read(ImportShape::Checklist, text);
    assert_eq!(
        lines(&work),
        [
            "cards: Cards < visa",
            "visa: Visa < amex !",
            "amex: Amex <  !",
            "cash: Cash < ",
            "cash-2: Cash < "
        ]
    );
    assert_eq!(work.title.as_deref(), Some("Shop"));
    assert_eq!(work.stories[1].criteria, ["with a PIN"]);
    assert_eq!(work.stories[1].text, ["Part of: Cards"]);
    assert_eq!(work.stories[4].group.as_deref(), Some("Ship"));
    assert_eq!(work.left_out, ["4 lines outside of boxes"]);
}

#[test]
fn phases_of_spec_kit_wait_for_each_other_and_parallel_tasks_do_not() {
    let text = "# Tasks: Search\n\n## Phase 1: Setup\n- [x] T001 Create src/\n- [ ] T002 [P] Lint\n\
                - [ ] T003 Configure\n\n## Phase 2: Story\n### Tests\n- [ ] T004 [P] [US1] Test src/a.py\n\
                - [ ] T005 [P] [US1] Test src/b.py\n### Code\n- [ ] T006 [US1] [docs](x) Write src/a.py\n\
                - [ ] Manual check\n- [ ] T00x Not one\n";
    let work = read(ImportShape::SpecKit, text);
    assert_eq!(
        lines(&work),
        [
            "T001: Create src/ <  !",
            "T002: Lint < ",
            "T003: Configure < T001 T002",
            "T004: [US1] Test src/a.py < T003",
            "T005: [US1] Test src/b.py < T003",
            "T006: [US1] [docs](x) Write src/a.py < T004 T005",
        ]
    );
    assert_eq!(work.stories[5].group.as_deref(), Some("Code"));
    assert_eq!(work.left_out, ["2 boxes without an id such as T001"]);
    let none = Imported::read(ImportShape::SpecKit, "- [ ] Manual\n").unwrap_err();
    assert_eq!(
        none.to_string(),
        "it has no task: no line is like `- [ ] T001 text`"
    );
}

#[test]
fn the_tasks_of_a_change_are_in_order() {
    let text = "## 1. Data\n- [x] 1.1 Add table\n- [ ] 1.2 Fill it\n## 2. Page\n- [ ] 2.1. Show\n- [ ] Ship\n";
    let work = read(ImportShape::OpenSpec, text);
    assert_eq!(
        lines(&work),
        [
            "1.1: Add table <  !",
            "1.2: Fill it < 1.1",
            "2.1: Show < 1.2",
            "ship: Ship < 2.1"
        ]
    );
}

#[test]
fn a_name_has_only_small_letters_digits_and_hyphens() {
    for (text, expected) in [
        ("fix_plan", "fix-plan"),
        (".ralph/TODO", "ralph-todo"),
        ("Überfall!", "berfall"),
        ("計画", "x"),
        ("--", "x"),
        ("a".repeat(60).as_str(), "a".repeat(48).as_str()),
    ] {
        assert_eq!(slug(text, "x"), expected, "{text}");
    }
}

/// The files of imported work: the plan, then the tasks.
fn unit(work: &Imported, spec: &str, command: Option<&str>) -> Vec<(String, String)> {
    let numbered = work.stories.iter().zip(1..);
    let numbered: Vec<Numbered<'_>> = numbered
        .map(|(story, number)| Numbered {
            story,
            number,
            file: format!("{number:02}-{}.md", story.name),
            depends_on: story.after.iter().map(|at| *at as u32 + 1).collect(),
        })
        .collect();
    let plan = plan_text("x", spec, &numbered);
    let mut files = vec![("tasks/x/IMPLEMENTATION_PLAN.md".to_owned(), plan)];
    files.extend(numbered.iter().map(|task| {
        let (head, body) = task_text(task, spec, "TODO.md", command);
        (format!("tasks/x/{}", task.file), head + &body)
    }));
    files
}

#[test]
fn a_task_claims_to_be_complete_only_with_a_command() {
    let work = read(ImportShape::Checklist, "- [x] Done\n- [ ] Open\n");
    for (command, expected) in [
        (Some("t: \"x\" # y"), ["complete", "pending"]),
        (None, ["pending", "pending"]),
    ] {
        let files = unit(&work, "specs/X.md", command);
        let tasks = files[1..].iter();
        let tasks: Vec<_> = tasks
            .map(|(path, text)| TaskFile::parse(path.as_str(), text.as_str()))
            .collect();
        let status = tasks.iter().map(|task| task.status.as_str());
        assert_eq!(status.collect::<Vec<_>>(), expected);
        let step = tasks[0].backpressure.first();
        assert_eq!(step.map(|step| step.value.as_str()), command);
        assert!(files[1].1.contains("\n`TODO.md` says that it is done.\n"));
    }
}

#[test]
fn a_title_is_read_as_it_is_in_its_source() {
    for (line, title) in [
        ("**Bold** and `code` \\_kept\\_", "Bold and code _kept_"),
        (
            "snake_case of Vec<T> \\[x] [docs](x)",
            "snake_case of Vec<T> [x] [docs](x)",
        ),
        ("2 * 3 \\& \\*", "2 * 3 & *"),
    ] {
        let work = read(ImportShape::Checklist, &format!("- [ ] {line}\n"));
        assert_eq!(work.stories[0].title, title);
        let files = unit(&work, "specs/TODO.md", None);
        let (path, text) = files.iter().find(|(path, _)| path.contains("01-")).unwrap();
        let read = TaskFile::parse(path, text).title.map(|title| title.value);
        assert_eq!(read.as_deref(), Some(title), "{text}");
    }
}

#[test]
fn a_title_has_no_marks_of_code_where_reports_show_it() {
    let work = read(ImportShape::Checklist, "- [ ] Make `a.txt` <b>\n");
    let files = unit(&work, "specs/TODO.md", None);
    let (_, task) = files.iter().find(|(path, _)| path.contains("01-")).unwrap();
    assert!(task.contains("\n# Make a.txt \\<b>\n"), "{task}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_imported_is_read_again_without_a_fault(
        text in "(- \\[ \\] |- \\[x\\] |  |\t|\n|# |## |T001 |\\[P\\] |1\\.2 |---|```|<!--|-->|\\||[:`*_\\[\\]()\\\\#>&~=+-]|Parent spec: |Design spec: |/a\\.md|\\{|\\}|\"|,|\u{202e}|\u{0}|é|\\PC){0,60}",
        title in any::<String>(),
        depends in prop::collection::vec(0_usize..5, 0..8),
        has_command in any::<bool>(),
    ) {
        let id = |at: usize| format!("S{}", at % 4);
        let stories: Vec<_> = depends.iter().enumerate().map(|(at, first)| serde_json::json!({
            "id": id(at), "title": format!("{title}{text}"), "acceptanceCriteria": [text, title],
            "dependsOn": (first % 4 < at).then(|| id(*first)), "passes": at % 2 == 0,
        })).collect();
        let prd = serde_json::json!({ "userStories": stories, "title": title }).to_string();
        let boxed = format!("- [ ] T1 {text}");
        for (shape, text) in [
            (ImportShape::Prd, text.as_str()),
            (ImportShape::Prd, prd.as_str()),
            (ImportShape::Checklist, text.as_str()),
            (ImportShape::Checklist, boxed.as_str()),
            (ImportShape::SpecKit, boxed.as_str()),
            (ImportShape::OpenSpec, boxed.as_str()),
        ] {
            let Ok(work) = Imported::read(shape, text) else {
                continue;
            };
            let files = unit(&work, "specs/X.md", has_command.then_some("t '# x'"));
            let (path, plan) = &files[0];
            let plan = Plan::parse(path.as_str(), plan.as_str());
            prop_assert_eq!(plan.faults, []);
            prop_assert_eq!(plan.design_spec, None);
            prop_assert_eq!(plan.spec.map(|spec| spec.value), Some("specs/X.md".to_owned()));
            let unit = Unit::load("x".parse().unwrap(), "tasks/x", files.iter().map(|(path, text)| (path, text)));
            prop_assert_eq!(unit.tasks.len(), work.stories.len());
            let faults = unit.faults().into_iter().filter(|fault| fault.kind != FaultKind::NoCommand);
            prop_assert_eq!(faults.collect::<Vec<_>>(), []);
            prop_assert!(!has_command || unit.graph().runnable().is_ok());
            for task in &unit.tasks {
                let parent = task.parent_spec.as_ref().map(|spec| spec.value.as_str());
                prop_assert_eq!(parent, Some("/specs/X.md"));
                prop_assert!(task.title.is_some());
                prop_assert_eq!(task.unknown_keys.len(), 0);
            }
        }
    }
}
