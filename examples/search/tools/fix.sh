#!/bin/sh
# An applier: turns the sentence about errors into a requirement.
spec=$(sed 's/^A folder that cannot be read is an error\.$/- **FR-3**: A folder that cannot be read MUST end the search with exit code 2./' specs/SEARCH.md)
printf '%s\n' "$spec" > specs/SEARCH.md
