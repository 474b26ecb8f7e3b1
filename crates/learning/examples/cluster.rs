//! Clusters feedback: entries, one a line of standard input, become lines
//! `{"id","cluster"}`, where -1 stands for none.
//!
//! `cargo run --release -p review-learning --example cluster < feedback.jsonl`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::io;

use review_learning::cluster::{Forms, clusters, text_of};
use review_learning::corrections::{Line, Lines};
use review_learning::feedback::FeedbackEntry;
use review_learning::object::LearningObject as _;

/// Smaller groups are not clusters.
const MIN_SIZE: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut forms = Forms::new();
    let mut items = Vec::new();
    let mut lines = Lines::new(io::stdin().lock());
    while let Some((number, line)) = lines.next()? {
        let (Line::Whole(text) | Line::Unended(text)) = line else {
            return Err(format!("line {number} is longer than 1 MiB").into());
        };
        let entry = FeedbackEntry::parse(text).into_result();
        let entry = entry.map_err(|found| format!("line {number}: {}", found[0].message))?;
        items.push((entry.id.clone(), forms.add(&text_of(&entry))));
    }
    let clusters = clusters(&forms, MIN_SIZE);
    for (id, form) in items {
        let cluster = form.and_then(|form| clusters.of(form));
        let number = cluster.map_or(-1, i64::from);
        let line = serde_json::json!({"id": id, "cluster": number});
        println!("{line}");
    }
    Ok(())
}
