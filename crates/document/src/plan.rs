//! Plans: the unit of a folder of tasks, and the units that it depends on.

use review_types::closed_list;

use crate::body::Body;
use crate::fault::{Fault, FaultKind};
use crate::front_matter::FrontMatter;
use crate::head::{self, Head, Sink};
use crate::source::SourceText;
use crate::span::{Place, Spanned};
use crate::yaml::Node;

/// The file name of a plan, without its extension.
pub(crate) const PLAN_STEM: &str = "IMPLEMENTATION_PLAN";

closed_list!(
    /// A key of the front matter of a plan.
    PlanKey {
        /// The name of the unit.
        Unit => "unit",
        /// The units that come first.
        DependsOn => "depends_on",
        /// The agent that works on the unit.
        Provider => "provider",
        /// The spec that the unit implements.
        Spec => "spec",
    }
);

/// A parsed plan, with all its faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The file, relative to the root.
    pub path: String,
    /// The place of its YAML block; a plan may have none.
    pub front_matter: Option<FrontMatter>,
    /// The name of the unit.
    pub unit: Option<Spanned<String>>,
    /// The units that come first.
    pub depends_on: Vec<Spanned<String>>,
    /// The place of that list.
    pub depends_on_place: Option<Place>,
    /// The agent that works on the unit.
    pub provider: Option<Spanned<String>>,
    /// The spec that the unit implements, by the key `spec`.
    pub spec: Option<Spanned<String>>,
    /// The design spec that the Markdown names, as written.
    pub design_spec: Option<Spanned<String>>,
    /// Its faults, in the order of the file.
    pub faults: Vec<Fault>,
}

impl Plan {
    /// Parses a plan. This never fails: errors become faults.
    ///
    /// ```
    /// use review_document::Plan;
    ///
    /// let plan = Plan::parse("tasks/web/IMPLEMENTATION_PLAN.md", "---\nunit: web\n---\n");
    /// assert_eq!(plan.unit.map(|unit| unit.value).as_deref(), Some("web"));
    /// ```
    pub fn parse<'s>(path: impl Into<String>, source: impl Into<SourceText<'s>>) -> Self {
        let (path, source) = (path.into(), source.into());
        let mut sink = Sink::new(&path);
        let text = head::text(&source, &mut sink);
        let head = Head::read(text, &mut sink);
        let front_matter = head.front_matter();
        let mut plan = Self {
            front_matter,
            design_spec: Body::of(text, front_matter.as_ref()).design_spec(),
            ..Self::default()
        };
        if let Head::Read(_, tree) = &head {
            plan.read_keys(&tree.root, &mut sink);
        }
        plan.faults = sink.into_faults();
        plan.path = path;
        plan
    }

    fn read_keys(&mut self, root: &Node<'_>, sink: &mut Sink<'_>) {
        for entry in root.entries() {
            let node = &entry.value;
            let Ok(key) = entry.key.parse::<PlanKey>() else {
                head::unknown_key(entry, PlanKey::WORDS, sink);
                continue;
            };
            match key {
                PlanKey::Unit => self.unit = word(node, key, sink),
                PlanKey::DependsOn => {
                    self.depends_on_place = Some(node.place);
                    self.depends_on = head::strings(node, key.as_str(), sink);
                }
                PlanKey::Provider => self.provider = word(node, key, sink),
                PlanKey::Spec => self.spec = word(node, key, sink),
            }
        }
    }
}

fn word(node: &Node<'_>, key: PlanKey, sink: &mut Sink<'_>) -> Option<Spanned<String>> {
    let Some(scalar) = node.scalar() else {
        let (key, expected) = (key.as_str(), "one word");
        sink.push(node.place, FaultKind::WrongType { key, expected });
        return None;
    };
    let value = scalar.text.trim().to_owned();
    let place = node.place;
    (!node.is_null() && !value.is_empty()).then_some(Spanned { value, place })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(text: &str) -> Plan {
        Plan::parse("tasks/web/IMPLEMENTATION_PLAN.md", text)
    }

    fn value(found: Option<Spanned<String>>) -> Option<String> {
        found.map(|found| found.value)
    }

    #[test]
    fn a_complete_plan_is_parsed() {
        let text = "---\nunit: web\ndepends_on:\n  - events # first\nprovider: codex\nspec: specs/WEB.md\n---\n# Plan\n";
        let plan = plan(text);
        assert_eq!(plan.path, "tasks/web/IMPLEMENTATION_PLAN.md");
        assert_eq!(value(plan.unit).as_deref(), Some("web"));
        assert_eq!(value(plan.provider).as_deref(), Some("codex"));
        assert_eq!(value(plan.spec).as_deref(), Some("specs/WEB.md"));
        assert_eq!(plan.depends_on[0].value, "events");
        assert_eq!(plan.depends_on[0].place.position.line, 4);
        assert!(plan.depends_on_place.is_some());
        assert!(plan.front_matter.is_some());
        assert_eq!(plan.faults, []);
    }

    #[test]
    fn a_plan_may_lack_front_matter_and_keys() {
        for text in [
            "# Plan\n",
            "---\n# unit: web\n---\n",
            "---\nunit:\nspec: ''\n---\n",
        ] {
            let plan = plan(text);
            assert_eq!((plan.unit, plan.spec), (None, None), "{text}");
            assert_eq!(plan.faults, [], "{text}");
        }
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_faults() {
        let plan = plan("---\nunit: [web]\norch_status: x\ndepends: [a]\n---\n");
        let kinds: Vec<_> = plan.faults.into_iter().map(|fault| fault.kind).collect();
        let unknown = |key: &str, nearest| FaultKind::UnknownKey {
            key: key.to_owned(),
            nearest,
        };
        let wrong = FaultKind::WrongType {
            key: "unit",
            expected: "one word",
        };
        assert_eq!(
            kinds,
            [
                wrong,
                unknown("orch_status", None),
                unknown("depends", Some("depends_on"))
            ]
        );
    }

    #[test]
    fn the_design_spec_is_named_in_the_markdown() {
        for (text, expected) in [
            (
                "# P\n\n## Reference\n\n- Design spec: `/specs/WEB.md`\n",
                Some("/specs/WEB.md"),
            ),
            (
                "## Design Spec Reference\n\n[WEB](/specs/WEB.md)\n",
                Some("/specs/WEB.md"),
            ),
            ("## Design spec\n- `specs/WEB.md`\n", Some("specs/WEB.md")),
            ("## Design spec\n\nSee below.\n\n`specs/WEB.md`\n", None),
            ("Design spec: to be written\n", None),
            ("```\nDesign spec: `a.md`\n```\n", None),
            ("Text\n`a.md`\n", None),
        ] {
            assert_eq!(
                value(plan(text).design_spec).as_deref(),
                expected,
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_input_gives_a_plan(text in "(---\n|unit: |spec: |depends_on: |\\[|\\]|a|Design spec|: |`|#|\n|\u{e9}){0,40}") {
            let plan = plan(&text);
            for found in [plan.unit, plan.spec, plan.design_spec].into_iter().flatten() {
                prop_assert!(found.place.span.slice(&text).is_some());
            }
        }
    }
}
