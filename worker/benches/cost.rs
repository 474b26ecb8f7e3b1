//! What the engine costs: processor time for each step of the server, the worker and the
//! relay, with 64 steps open, and memory, each beside its limit. The server has its data in
//! SQLite with a write-ahead log that is synced at checkpoints alone. A program in place of
//! `ralph` does nothing, and is not counted.

#![expect(clippy::unwrap_used, reason = "what a bench does not get ends it")]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::time::{Duration, Instant};

use support::{Host, OK, order, server};

/// Steps that are open at a time.
const OPEN: u32 = 64;

const STEPS: u32 = 8 * OPEN;

/// Ticks of `/proc/PID/stat` in a second.
const TICKS: u32 = 100;

fn main() {
    let Some(server) = server() else { return };
    let host = Host::with(&server, "done 1", "10m,10m");
    let worker = host.worker_with(OPEN);
    let server_id = server.process.as_ref().unwrap().id();
    let measured = || {
        let relays = time(std::process::id()).1;
        [time(server_id).0, time(worker.id()).0, relays]
    };
    let (before, begun) = (measured(), Instant::now());
    for round in 0..STEPS / OPEN {
        let mut relays: Vec<_> = (0..OPEN).map(|_| host.relay()).collect();
        for (number, relay) in relays.iter_mut().enumerate() {
            relay.say(&order(&format!("k{round}-{number}"), 1));
        }
        for mut relay in relays {
            let lines = relay.lines();
            assert_eq!(relay.exit().0, Some(0));
            assert_eq!(lines, ["\"alive\"", OK]);
        }
    }
    let elapsed = begun.elapsed();
    let after = measured();
    println!(
        "{OPEN} steps open: {:.0} steps/s, of at least 50",
        f64::from(STEPS) / elapsed.as_secs_f64()
    );
    let spent = [0, 1, 2].map(|who| (after[who] - before[who]) / STEPS);
    let [server, worker_spends, relay] = spent;
    println!(
        "processor time of a step: {:.1?}, of at most 40 ms (server {server:.1?}, \
         worker {worker_spends:.1?}, relay {relay:.1?})",
        spent.iter().sum::<Duration>()
    );
    println!(
        "memory: worker {} MB, of less than 40 (server {} MB)",
        memory(worker.id()),
        memory(server_id)
    );
    worker.drains();
}

/// The processor time of a process, and of those that it has waited for.
fn time(process: u32) -> (Duration, Duration) {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace().skip(11);
    let ticks: Vec<u32> = fields.take(4).map(|field| field.parse().unwrap()).collect();
    let time = |ticks: u32| Duration::from_secs(1) * ticks / TICKS;
    (time(ticks[0] + ticks[1]), time(ticks[2] + ticks[3]))
}

/// Resident memory in MB.
fn memory(process: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u32>().unwrap() / 1024
}
