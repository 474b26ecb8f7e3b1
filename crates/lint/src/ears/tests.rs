use super::*;

#[test]
fn the_patterns_match() {
    for text in [
        "The store shall keep 100 values.",
        "The system SHALL keep values, and report `when` they are dropped.",
        "Each node of the cluster, once joined, shall answer.",
        "When a value is read, the store shall count it.",
        "WHEN a value, a key or a lock is read, THE SYSTEM SHALL count it",
        "WHEN a value is read THEN the store SHALL count it.",
        "While the store is locked, the store shall refuse writes.",
        "Where the store has a mirror, the store shall copy each write.",
        "If the disk is full, then the store shall refuse writes.",
        "IF the disk is full THEN THE SYSTEM SHALL refuse writes.",
        "While locked, when a value is read, the store shall count it.",
        "Where a mirror exists, while locked, if a read fails, then the store shall retry.",
        "Reading. When a value is read, the store shall count it.",
        "The store (when it is open, or shall be) shall answer.",
        "The store shall check if the disk is full.",
        "The store shall answer. It does so when asked.",
    ] {
        assert_eq!(deviation(text), None, "{text}");
    }
}

#[test]
fn each_deviation_is_recognized() {
    use Deviation as D;
    let no_shall = |instead| D::NoShall { instead };
    let cases = [
        ("Keeps values.", no_shall(None)),
        ("", no_shall(None)),
        ("The store MUST keep values.", no_shall(Some("must"))),
        (
            "The store shall read and shall write.",
            D::ManyShalls { count: 2 },
        ),
        ("Shall keep values.", D::NoSystem),
        ("When a value is read, shall count it.", D::NoSystem),
        ("While locked, when read shall count.", D::NoSystem),
        (
            "When a value is read the store shall count it.",
            D::NoComma {
                keyword: Keyword::When,
            },
        ),
        (
            "Where a mirror exists the store shall copy.",
            D::NoComma {
                keyword: Keyword::Where,
            },
        ),
        ("If the disk is full, the store shall stop.", D::NoThen),
        (
            "Once a value is read, the store shall count it.",
            D::OtherOpening { word: "once" },
        ),
        (
            "The store shall stop unless the disk is full.",
            D::TrailingClause("unless"),
        ),
        (
            "When read, the store shall stop if locked.",
            D::TrailingClause("if"),
        ),
        (
            "When read, while locked, the store shall wait.",
            D::OutOfOrder {
                first: Keyword::While,
                second: Keyword::When,
            },
        ),
        (
            "While locked, where a mirror exists, the store shall wait.",
            D::OutOfOrder {
                first: Keyword::Where,
                second: Keyword::While,
            },
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(deviation(text), Some(expected), "{text}");
    }
}

#[test]
fn a_condition_ends_before_then_or_at_its_last_comma() {
    let no_comma = "On success the store shall stop.";
    assert_eq!(deviation(no_comma), None);
    let with_and = "While locked, and where a mirror exists, the store shall wait.";
    assert!(matches!(
        deviation(with_and),
        Some(Deviation::OutOfOrder { .. })
    ));
}

#[test]
fn every_deviation_has_a_suggestion() {
    let rendered = |text: &str| {
        let found = deviation(text).unwrap();
        format!("{}. {}", found.problem(), found.advice())
    };
    assert_eq!(
        rendered("The store must stop."),
        "uses `must` instead of `shall`. Write `shall` instead of `must`."
    );
    assert_eq!(
        rendered("The store shall stop, and shall start."),
        "uses `shall` 2 times. Split it into 2 requirements, each with its own id."
    );
    assert_eq!(
        rendered("While read the store shall stop."),
        "has no comma after its `While` condition. Write `While <condition>, the <system> shall <response>.`"
    );
}
