//! What the engine costs: processor time of the server, the worker and the relays for each
//! step, with 64 steps open, and the memory of the worker.

fn main() {}
