//! The files that `init` writes.

use std::borrow::Cow;

use review_agents::opencode_agents;
use serde_json::json;

use super::project::Example;

/// The path of the spec of the example.
pub(super) const SPEC_PATH: &str = "specs/EXAMPLE.md";

/// The path of its task.
pub(super) const TASK_PATH: &str = "tasks/example/01-example.md";

/// A file to write.
pub(super) struct File {
    /// Its path, relative to the root.
    pub(super) path: Cow<'static, str>,
    /// What it holds.
    pub(super) text: String,
}

/// The spec and its unit, with a task that asks for the example.
pub(super) fn files(example: &Example) -> [File; 3] {
    let command = &example.command();
    let must_pass = example
        .test
        .map_or_else(String::new, |test| MUST_PASS.replace("{test}", test));
    let file = |path: &'static str, text: &str| File {
        path: path.into(),
        // A JSON string is a YAML scalar in double quotes.
        text: text
            .replace("{command:yaml}", &json!(command).to_string())
            .replace("{command}", command)
            .replace("{requirement}", &example.requirement())
            .replace("{file}", example.file)
            .replace("{language}", example.language)
            .replace("{text}", example.text)
            .replace("{must_pass}", &must_pass),
    };
    [
        file(SPEC_PATH, SPEC),
        file("tasks/example/IMPLEMENTATION_PLAN.md", PLAN),
        file(TASK_PATH, TASK),
    ]
}

/// The files that define the agents of opencode.
pub(super) fn agents() -> impl Iterator<Item = File> {
    opencode_agents().into_iter().map(|(path, text)| File {
        path: path.into(),
        text,
    })
}

const SPEC: &str = "\
# Example

A spec says what is to be built and how anybody can see that it was. Replace
this one by your own.

## Requirements

- **FR-1**: {requirement}

## Acceptance

- The command of the task in `tasks/example/01-example.md` passes.
";

const PLAN: &str = "\
---
unit: example
depends_on: []
---

# Implementation plan: example

| # | Task | Depends on | Backpressure |
|---|------|------------|--------------|
| 1 | 01-example.md | None | `{command}` |
";

const TASK: &str = "\
---
task: 1
status: pending
backpressure: {command:yaml}
depends_on: []
---

# Example task

**Parent spec**: `/specs/EXAMPLE.md`
**Task**: #1 of 1 in implementation plan

## Objective

Build what FR-1 of the spec asks for: write `{file}` with this text.

```{language}
{text}
```

## Dependencies

None.

## Deliverables

- Create: `{file}`

## Backpressure

The command fails until the file is there.

### Validation Command

```bash
{command}
```

{must_pass}## NOT In Scope

Anything that the spec does not name.
";

const MUST_PASS: &str = "\
### Must Pass

| Test | Asserts |
|------|---------|
| `{test}` | 2 + 2 is 4 |

";
