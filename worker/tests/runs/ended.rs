//! What a run ends with.

use serde_json::Value;

use crate::support::Site;

/// A report without times, hosts and names that differ in each run.
fn normal(value: &Value, run: &str) -> Value {
    match value {
        Value::String(text) => {
            let is_time = text.len() >= 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T';
            let words = text.split(|char: char| !char.is_ascii_alphanumeric());
            let is_id =
                |word: &&str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            let ids: Vec<_> = words.filter(is_id).map(str::to_owned).collect();
            let text = text.replace(run, "RUN");
            let text = ids
                .iter()
                .fold(text, |text, id| text.replace(id.as_str(), "ID"));
            Value::String(if is_time { "TIME".to_owned() } else { text })
        }
        Value::Array(items) => items.iter().map(|item| normal(item, run)).collect(),
        Value::Object(fields) => {
            let is_time = |key: &str| key.ends_with("_ms") || key.ends_with("seconds");
            let left_out = ["checkout", "command"];
            let fields = fields
                .iter()
                .filter(|(key, _)| !left_out.contains(&key.as_str()));
            let fields = fields.map(|(key, value)| match is_time(key) {
                true => (key.clone(), Value::Null),
                false => (key.clone(), normal(value, run)),
            });
            fields.collect::<serde_json::Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The report of a run in which one attempt fails and three change nothing.
fn report(site: &Site, options: &[&str]) -> Value {
    let second = "[ $RALPH_ATTEMPT = 2 ] && echo 1 > 1.txt || echo wrong > 1.txt";
    site.write("control/agent-1", second);
    site.write("control/agent-3", "true");
    site.run("demo", options).exits(1);
    let report = site.report();
    let folder = site.folder().display().to_string();
    let text = report.to_string().replace(&folder, "SITE");
    normal(
        &serde_json::from_str(&text).unwrap(),
        report["run"].as_str().unwrap(),
    )
}

#[test]
fn the_report_is_that_of_the_embedded_driver() {
    let Some(embedded) = Site::new(3, &[]) else {
        return;
    };
    let expected = report(&embedded, &[]);
    drop(embedded);
    let Some(site) = Site::new(3, &["one", "two"]) else {
        return;
    };
    let url = site.url();
    let found = report(&site, &["--engine", &url]);
    assert_eq!(expected["tasks"].as_array().unwrap().len(), 3);
    assert_eq!(found, expected);
    // The tasks have their turns by their numbers.
    let work = [site.work_of("one")[1], site.work_of("two")[1]];
    assert_eq!(work, [1, 5]);
}
