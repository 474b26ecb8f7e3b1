//! The files that `init` writes.

use std::borrow::Cow;

use review_agents::opencode_agents;
use serde_json::json;

use crate::args::DefinedAgents;

/// The name of the spec, as `run --spec` takes it.
pub(super) const SPEC_NAME: &str = "EXAMPLE";

/// The command of the task where the project has no tests: it asks the spec
/// for its acceptance criteria.
pub(super) const SPEC_COMMAND: &str = "grep -q '^## Acceptance' specs/EXAMPLE.md";

/// A file to write.
pub(super) struct File {
    /// Its path, relative to the root.
    pub(super) path: Cow<'static, str>,
    /// What it holds.
    pub(super) text: String,
}

/// The spec and its unit, with `command` as the proof of its one task.
pub(super) fn files(command: &str) -> [File; 3] {
    let file = |path: &'static str, text: &str| File {
        path: path.into(),
        // A JSON string is a YAML scalar in double quotes.
        text: text
            .replace("{command:yaml}", &json!(command).to_string())
            .replace("{command}", command),
    };
    [
        file("specs/EXAMPLE.md", SPEC),
        file("tasks/example/IMPLEMENTATION_PLAN.md", PLAN),
        file("tasks/example/01-example.md", TASK),
    ]
}

/// The files that define the agents of a client.
pub(super) fn agents(agents: DefinedAgents) -> impl Iterator<Item = File> {
    let files = match agents {
        DefinedAgents::Opencode => opencode_agents(),
    };
    files.into_iter().map(|(path, text)| File {
        path: path.into(),
        text,
    })
}

const SPEC: &str = "\
# Example

A spec says what is to be built and how anybody can see that it was. Replace
this one by your own.

## Requirements

- **FR-1**: The program MUST end with exit code 0 when it is given no input.

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

Build what FR-1 of the spec asks for.

## Dependencies

None.

## Deliverables

- Modify: `specs/EXAMPLE.md`: name the program. Then list its files here, each
  behind `Create:` or `Modify:`.

## Backpressure

### Validation Command

```bash
{command}
```

## NOT In Scope

Anything that the spec does not name.
";
