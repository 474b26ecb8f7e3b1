//! Which reply a request gets.

use serde::Deserialize;

use super::asked::Asked;
use super::reply::Reply;

/// Rules in the order in which they are asked.
pub type Script = Vec<Rule>;

/// A reply, and what it is for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What it is called in the list of calls.
    pub name: String,
    /// The requests that it fits.
    #[serde(default)]
    pub when: When,
    /// How often it is used at most.
    pub times: Option<u32>,
    /// What is answered.
    pub reply: Reply,
}

/// What a request must be like; all that is given must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct When {
    /// A part of what was said.
    pub said: Option<String>,
    /// A tool that is offered.
    pub offers: Option<String>,
    /// One more than the answers of the model in the history.
    pub step: Option<u32>,
}

impl When {
    fn holds(&self, asked: &Asked) -> bool {
        let (said, offers) = (self.said.as_ref(), self.offers.as_ref());
        said.is_none_or(|part| asked.said.contains(part))
            && offers.is_none_or(|tool| asked.tools.contains(tool))
            && self.step.is_none_or(|step| step == asked.step)
    }
}

/// The first rule that fits and is not used up, which is used once more.
pub(crate) fn next(rules: &mut [Rule], asked: &Asked) -> Option<Rule> {
    let mut rules = rules.iter_mut();
    let rule = rules.find(|rule| rule.times != Some(0) && rule.when.holds(asked))?;
    rule.times = rule.times.map(|times| times - 1);
    Some(rule.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model_server::asked::Api;

    fn asked(said: &str) -> Asked {
        let body = json!({
            "model": "m", "system": "apply", "tools": [{"name": "Read"}],
            "messages": [{"role": "user", "content": said}],
        });
        Asked::new(Api::Messages, "/v1/messages", &body)
    }

    #[test]
    fn a_rule_fits_when_all_that_it_asks_for_holds() {
        let request = asked("review it");
        for (when, holds) in [
            (json!({}), true),
            (json!({"said": "review"}), true),
            (json!({"said": "apply"}), false),
            (json!({"offers": "Read"}), true),
            (json!({"offers": "Edit"}), false),
            (json!({"step": 1}), true),
            (json!({"step": 2}), false),
            (json!({"said": "review", "step": 2}), false),
        ] {
            let fits: When = serde_json::from_value(when.clone()).unwrap();
            assert_eq!(fits.holds(&request), holds, "{when}");
        }
    }

    #[test]
    fn a_rule_that_is_used_up_makes_way_for_the_next() {
        let reply = json!({"parts": []});
        let script = json!([
            {"name": "twice", "times": 2, "reply": reply},
            {"name": "review", "when": {"said": "review"}, "reply": reply},
        ]);
        let mut script: Script = serde_json::from_value(script).unwrap();
        let mut name = |said| next(&mut script, &asked(said)).map(|rule| rule.name);
        let twice = Some("twice".to_owned());
        assert_eq!(
            [name("a"), name("review"), name("a")],
            [twice.clone(), twice, None]
        );
        assert_eq!(name("review"), Some("review".to_owned()));
    }
}
