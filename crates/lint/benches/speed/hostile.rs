//! Expensive inputs: the cost of four times the size.

use std::fmt::Write;
use std::hint::black_box;

use review_lint::{Settings, lint};

use crate::corpus::{Part, Project};
use crate::parse;
use review_test_support::measure::{least_of_calls, report_ratio};

/// The number of runs of each side, alternating.
const RUNS: usize = 15;

/// A name, the size of the smaller input in bytes, and a function that generates an
/// input of about a given size.
///
/// Where the parser needs some hundred bytes of memory per byte of input, the smaller
/// input is already larger than the processor's caches: an input that fits costs less
/// per byte, and the ratio would measure the caches.
type Input = (&'static str, usize, fn(usize) -> String);

const SPECS: &[Input] = &[
    ("[", 2 << 20, |size| "[".repeat(size)),
    ("![", 1 << 20, |size| repeated("![", size)),
    ("[a](", 512 << 10, |size| repeated("[a](", size)),
    ("nested >", 1 << 20, |size| ">".repeat(size)),
    ("nested > with text", 1 << 20, |size| {
        format!("{} a\n", repeated("> ", size))
    }),
    ("nested - on one line", 256 << 10, |size| {
        repeated("- ", size)
    }),
    ("nested lists", 256 << 10, nested_lists),
    ("quotes that nest deeper line by line", 256 << 10, |size| {
        deeper(size, ">")
    }),
    ("*a_", 1 << 20, |size| repeated("*a_", size)),
    ("` of growing length", 256 << 10, ticks),
    ("<!--", 256 << 10, |size| repeated("<!-- ", size)),
    ("<a", 1 << 20, |size| repeated("<a ", size)),
    ("a long line", 1 << 20, |size| {
        format!(
            "- **FR-1**: {}\n",
            repeated("should be fast, etc. (FR-1) 5 ", size)
        )
    }),
    ("a long heading", 512 << 10, |size| {
        format!("# {}\n\nText.\n", repeated("TBD ", size))
    }),
    ("headings", 256 << 10, |size| {
        numbered(size, |number| format!("## Part {number}\n\nText.\n\n"))
    }),
    ("the same heading", 256 << 10, |size| {
        repeated("## Same\n\nTBD\n\n", size)
    }),
    ("links", 256 << 10, |size| {
        numbered(size, |number| {
            format!("See [part {number}](B.md#part-{number}) and <http://a.b/{number}>.\n")
        })
    }),
    ("definitions of links", 256 << 10, |size| {
        numbered(size, |number| {
            format!("[a{number}]: b{number}.md\n\n[a{number}] is it.\n\n")
        })
    }),
    ("requirement ids", 256 << 10, |size| {
        numbered(size, |number| {
            format!("- **FR-{}**: It should be as fast as FR-7.\n", number * 2)
        })
    }),
    ("the same requirement id", 256 << 10, |size| {
        repeated("- **FR-1**: The store keeps some values.\n", size)
    }),
    ("code fences", 256 << 10, |size| {
        numbered(size, |number| {
            format!("```rust\nfn a{number}() {{}}\n```\n\n")
        })
    }),
    ("table rows", 256 << 10, |size| {
        let rows = numbered(size, |number| format!("| FR-{number} | low |\n"));
        format!("| Metric | Target |\n|---|---|\n{rows}")
    }),
    ("table columns", 256 << 10, |size| {
        let line = |cell: &str| cell.repeat(size / 18);
        format!(
            "{}\n{}\n{}\n",
            line("| Metric "),
            line("|---"),
            line("| low ")
        )
    }),
    ("file trees", 256 << 10, |size| {
        let files = numbered(size, |number| {
            format!("├── a{number}.rs  # CREATE: a part\n")
        });
        format!("## Files to Create\n\n```\nsrc/\n{files}```\n")
    }),
    ("suppressions", 256 << 10, |size| {
        repeated(
            "<!-- ralph-ignore R2: known -->\n\n- **FR-1**: fast\n\n",
            size,
        )
    }),
];

/// The same for tasks, with what follows their front matter.
const TASKS: &[Input] = &[
    ("dependencies in a body", 256 << 10, |size| {
        let items = numbered(size, |number| {
            format!("- Task #{number} must be complete\n")
        });
        format!("## Dependencies\n\n### Task Dependencies\n\n{items}")
    }),
    ("listed tests", 256 << 10, |size| {
        let rows = numbered(size, |number| format!("| `web_{number}` | Is right |\n"));
        format!("### Must Pass\n\n| Test | Assertion |\n|---|---|\n{rows}")
    }),
    ("files of a task", 256 << 10, |size| {
        let files = numbered(size, |number| format!("├── a{number}.rs  # MODIFY\n"));
        format!("## Deliverables\n\n### Files to Modify\n\n```\nsrc/\n{files}```\n")
    }),
    ("paths in a body", 256 << 10, |size| {
        numbered(size, |number| format!("It reads `src/a{number}.rs`.\n"))
    }),
];

/// Prints a ratio for each input.
pub(crate) fn growth() {
    for &(name, size, text) in SPECS {
        let part = |size| Part::spec(text(size));
        compare(name, &part(size), &part(size * 4));
    }
    for &(name, size, text) in TASKS {
        let part = |size| Part::task(&text(size));
        compare(name, &part(size), &part(size * 4));
    }
    let one = |tasks| {
        let mut project = Project::generated(1, tasks, 1);
        project.parts.remove(0)
    };
    compare("tasks of a unit", &one(50), &one(200));
    compare("short tasks", &Part::chain(1_000), &Part::chain(4_000));
}

fn compare(name: &str, small: &Part, large: &Part) {
    let settings = Settings::default();
    let run = |part: &Part| {
        black_box(lint(&part.workspace(), &settings));
    };
    let (small_bodies, large_bodies) = (small.bodies(), large.bodies());
    let [few, many, parse_few, parse_many] = least_of_calls(
        RUNS,
        [
            &mut || run(small),
            &mut || run(large),
            &mut || parse(&small_bodies),
            &mut || parse(&large_bodies),
        ],
    );
    let parser = parse_many.as_secs_f64() / parse_few.as_secs_f64();
    let what = format!("4 times the input, {} bytes: {name}", large.bytes());
    report_ratio(
        &format!("{what}; the parser alone {parser:.2}"),
        many,
        few,
        4.5,
    );
}

fn repeated(text: &str, size: usize) -> String {
    text.repeat(size / text.len())
}

fn numbered(size: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 1.. {
        if text.len() >= size {
            break;
        }
        text += &line(number);
    }
    text
}

/// Lists with one nesting level per line, of about `size` bytes.
fn nested_lists(size: usize) -> String {
    let mut text = String::new();
    for depth in 0.. {
        if text.len() >= size {
            break;
        }
        let _infallible = writeln!(text, "{}- a", "  ".repeat(depth));
    }
    text
}

fn deeper(size: usize, mark: &str) -> String {
    let mut text = String::new();
    for depth in 1.. {
        if text.len() >= size {
            break;
        }
        let _infallible = writeln!(text, "{} a", mark.repeat(depth));
    }
    text
}

fn ticks(size: usize) -> String {
    let mut text = String::new();
    for length in 1.. {
        if text.len() >= size {
            break;
        }
        text += &"`".repeat(length);
        text.push('a');
    }
    text
}
