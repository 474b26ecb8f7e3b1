//! Verbs at the start of an action.

/// Sorted, for a binary search.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "abort", "accept", "add", "adjust", "align", "allocate", "allow", "annotate", "append",
    "apply", "archive", "ask", "assert", "assign", "attach", "avoid", "await", "base", "batch",
    "bind", "block", "bound", "break", "build", "bump", "cache", "call", "cancel", "cap",
    "capture", "catch", "change", "check", "choose", "cite", "clamp", "clarify", "clear", "clone",
    "close", "collapse", "collect", "combine", "commit", "compare", "compute", "configure",
    "connect", "convert", "copy", "correct", "count", "cover", "create", "cut", "debounce",
    "decide", "declare", "decode", "decouple", "decrease", "decrement", "dedupe", "deduplicate",
    "default", "define", "delay", "delegate", "delete", "deny", "deprecate", "derive", "describe",
    "detect", "disable", "disallow", "discard", "distinguish", "divide", "document", "drain",
    "drop", "emit", "enable", "encode", "encrypt", "end", "enforce", "ensure", "enumerate",
    "escape", "evict", "exclude", "execute", "exit", "expand", "explain", "expose", "extend",
    "extract", "fail", "fetch", "fill", "filter", "finish", "fix", "flag", "flatten", "flush",
    "follow", "forbid", "force", "format", "forward", "freeze", "generate", "get", "give",
    "group", "guarantee", "guard", "handle", "hash", "hide", "hoist", "hold", "ignore",
    "implement", "import", "improve", "include", "increase", "increment", "indent", "index",
    "inherit", "initialise", "initialize", "inject", "inline", "insert", "inspect", "install",
    "introduce", "invert", "invoke", "isolate", "iterate", "join", "keep", "label", "leave",
    "let", "lift", "limit", "link", "list", "load", "localise", "localize", "lock", "log",
    "lower", "make", "map", "mark", "mask", "match", "measure", "memoize", "mention", "merge",
    "migrate", "mock", "modify", "mount", "move", "name", "narrow", "negate", "nest", "normalise",
    "normalize", "note", "notify", "number", "omit", "open", "order", "override", "pad",
    "paginate", "parse", "pass", "persist", "pick", "pin", "place", "point", "poll", "pop",
    "prefer", "prefix", "prepend", "preserve", "prevent", "print", "promote", "propagate",
    "protect", "provide", "prune", "pull", "push", "put", "query", "queue", "quote", "raise",
    "randomise", "randomize", "read", "rebuild", "recompute", "record", "reduce", "refactor",
    "refer", "reference", "refresh", "refuse", "register", "reject", "release", "reload",
    "remove", "rename", "render", "reorder", "repeat", "rephrase", "replace", "report", "request",
    "require", "reserve", "reset", "resolve", "restore", "restrict", "restructure", "retain",
    "retry", "return", "reuse", "revert", "rewrite", "roll", "rotate", "round", "route", "run",
    "sanitise", "sanitize", "save", "say", "schedule", "scope", "select", "send", "separate",
    "serialise", "serialize", "set", "shorten", "show", "shrink", "sign", "simplify", "skip",
    "sort", "specify", "split", "stage", "standardise", "standardize", "start", "state", "stop",
    "store", "stream", "strip", "subtract", "supply", "surface", "surround", "swap", "switch",
    "synchronise", "synchronize", "tag", "take", "tell", "terminate", "test", "throttle", "throw",
    "tie", "tighten", "track", "translate", "treat", "trim", "truncate", "turn", "unify",
    "unlock", "unwrap", "update", "upgrade", "use", "validate", "verify", "wait", "warn", "widen",
    "wire", "wrap", "write", "yield",
];

/// The verbs as numbers in the same order, since numbers are compared faster.
static KEYS: [u128; VERBS.len()] = {
    let mut keys = [0; VERBS.len()];
    let mut at = 0;
    while at < VERBS.len() {
        keys[at] = key(VERBS[at].as_bytes());
        at += 1;
    }
    keys
};

/// The letters of a word of at most 16 bytes, in lower case.
const fn key(word: &[u8]) -> u128 {
    let mut bytes = [0; MAX_VERB];
    let mut at = 0;
    while at < word.len() && at < MAX_VERB {
        bytes[at] = word[at].to_ascii_lowercase();
        at += 1;
    }
    u128::from_be_bytes(bytes)
}

/// More than the length of any listed verb.
const MAX_VERB: usize = 16;

/// Whether the first word of a string is a listed verb.
pub(super) fn starts_with_verb(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text.find(|c: char| !c.is_alphanumeric());
    let word = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    word.len() <= MAX_VERB && KEYS.binary_search(&key(word.as_bytes())).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verbs_are_sorted() {
        assert!(VERBS.is_sorted());
        assert!(VERBS.iter().all(|verb| verb.len() <= MAX_VERB));
    }

    #[test]
    fn a_verb_is_recognized_in_any_case_as_a_whole_word() {
        for text in ["ADD it", "* yield\nit", "abort"] {
            assert!(starts_with_verb(text), "{text}");
        }
        for text in ["added", "ad", "", "...", "add0123456789abcdef", "ädd"] {
            assert!(!starts_with_verb(text), "{text}");
        }
    }
}
