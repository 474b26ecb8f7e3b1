# List the recipes.
default:
    @just --list

# Run what CI runs.
ci:
    bash .ci/run

# Run all of it, with the fuzz targets, the pages and the real clients.
ci-full:
    RALPH_CI=full bash .ci/run

# Format, lint and test.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo test --workspace

# Test with the real clients of language models, which npm installs.
clients:
    RALPH_TEST_CLIENTS=1 cargo test -p ralph-review --test cli real_clients::

# Review this repository's own unit and run its tasks.
self:
    cargo run -- run SPEC-REVIEW.md

# Write the generated files.
generate:
    bash .ci/generate

# Draw the pictures of the manual from a demo and from a run of examples/search.
picture:
    RALPH_WRITE_PICTURE=1 cargo test -p ralph-review --test cli picture::

# Write the page of the demo with its pictures, in a headless Chromium.
pages:
    bash .ci/pages

# Run the benches; each prints ratios against its peer.
bench:
    cargo bench --workspace

# Show what agents complete of twenty exercises: right, idle, cheating in three ways, and failing at first.
bench-tasks:
    RALPH_TEST_ALL=1 cargo test -p ralph-review --test cli -- --nocapture what_agents_complete

# Show how many of 48 false claims ralph and a shell loop accept; pip installs pytest.
cheats:
    bash .ci/cheats

# Pack `ralph` as a release does, and try what is packed.
archive:
    bash .ci/archive

# Install `ralph`, with `ralph-review` as a second name for it.
install:
    cargo install --locked --path crates/cli
    ln -sf ralph "${CARGO_HOME:-$HOME/.cargo}/bin/ralph-review"
