//! The targets in tables of metrics.

use review_document::markdown::{Cell, Table};
use review_document::workspace::Document;

/// A row of a table with the columns "Metric" and "Target".
pub(crate) struct Target<'a> {
    /// The metric.
    pub(crate) metric: &'a str,
    /// The target value.
    pub(crate) cell: &'a Cell,
}

/// Heads of the metric column.
const METRIC_HEADS: [&str; 7] = [
    "metric",
    "metrics",
    "measure",
    "kpi",
    "slo",
    "sli",
    "indicator",
];

/// The targets of a document.
pub(crate) fn targets(document: &Document) -> impl Iterator<Item = Target<'_>> {
    let tables = document.outline.tables().iter();
    tables
        .filter_map(columns)
        .flat_map(|(table, metric, target)| {
            table.rows.iter().filter_map(move |row| {
                Some(Target {
                    metric: &row.get(metric)?.text,
                    cell: row.get(target)?,
                })
            })
        })
}

fn columns(table: &Table) -> Option<(&Table, usize, usize)> {
    let head = |known: &[&str], text: &str| known.iter().any(|one| text.eq_ignore_ascii_case(one));
    let metric = table.column(|text| head(&METRIC_HEADS, text))?;
    let target = table.column(|text| head(&["target", "targets", "target value"], text))?;
    Some((table, metric, target))
}
