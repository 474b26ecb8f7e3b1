#!/bin/sh
# A reviewer: wants each error to have its exit code.
if grep -q 'MUST end the search with exit code' specs/SEARCH.md; then
    echo '{"verdict": "pass", "feedback": [],
           "score": {"completeness": 88, "consistency": 90, "testability": 85, "architecture": 82}}'
else
    echo '{"verdict": "needs_revision",
           "score": {"completeness": 60, "consistency": 90, "testability": 65, "architecture": 82},
           "feedback": [{"section": "Errors", "severity": "major",
                         "issue": "No exit code is named for a folder that cannot be read.",
                         "suggestion": "Name it in a requirement."}]}'
fi
