//! Tests of the review loop, one module per topic.
