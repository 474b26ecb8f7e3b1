//! Clusters feedback: JSON lines of standard input, an entry or an object with `id`,
//! `issue` and `correction` each, become lines `{"id","cluster"}`, where -1 stands
//! for none.
//!
//! `cargo run --release -p review-learning --example cluster < feedback.jsonl`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::io;

use review_learning::cluster::{Forms, Item, clusters};
use review_learning::corrections::{Line, Lines};
use review_text::Lexicon;

/// Smaller groups are no clusters.
const MIN_SIZE: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut forms = Forms::new(Lexicon::embedded());
    let mut items = Vec::new();
    let mut lines = Lines::new(io::stdin().lock());
    while let Some((number, line)) = lines.next()? {
        let (Line::Whole(text) | Line::Unended(text)) = line else {
            return Err(format!("line {number} is longer than 1 MiB").into());
        };
        let item = Item::read(text, number)?;
        items.push((item.id, forms.add(&item.text)));
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
