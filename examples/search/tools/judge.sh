#!/bin/sh
# A reviewer: wants each error to have its exit code. It repeats the ids at both ends of
# its prompt, which shows that the prompt arrived whole.
prompt=$(cat)
id() { printf '%s\n' "$prompt" | sed -n "$1"; }
ids="\"review_id\": \"$(id '/^  "review_id": /{s/.*"\(.*\)",/\1/p;q;}')\""
ids="$ids, \"end_id\": \"$(id '$s/.*end_id"* is "\(.*\)"\.$/\1/p')\""
if grep -q 'MUST end the search with exit code' specs/SEARCH.md; then
    echo "{$ids,"' "verdict": "pass", "feedback": [],
           "score": {"completeness": 88, "consistency": 90, "testability": 85, "architecture": 82}}'
else
    echo "{$ids,"' "verdict": "needs_revision",
           "score": {"completeness": 60, "consistency": 90, "testability": 65, "architecture": 82},
           "feedback": [{"section": "Errors", "severity": "major",
                         "issue": "No exit code is named for a folder that cannot be read.",
                         "suggestion": "Name it in a requirement."}]}'
fi
