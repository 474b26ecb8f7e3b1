//! The ports of tasks: no two tasks that a user of this computer has going share one.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use review_flow::Stop;
use review_store::{FileError, HostDir, HostLock};
use review_types::TaskNumber;

use crate::error::halted;

/// The number of seats, which end below the ports that systems give to clients.
const SEATS: u16 = 100;
const FIRST_PORT: u16 = 20_000;
/// The number of ports of a seat.
pub(super) const PORTS: u16 = 100;

/// A range of ports, held as long as this value lives.
#[derive(Debug)]
pub(super) struct Seat {
    number: u16,
    _lock: HostLock,
}

impl Seat {
    /// Takes the first seat that is free, and whose first port no other program has, if
    /// there is one.
    fn take(host: &HostDir, is_used: fn(u16) -> bool) -> Result<Option<Self>, FileError> {
        for number in 0..SEATS {
            if let Some(lock) = host.try_lock(format!("seats/{number}"))? {
                let seat = Self {
                    number,
                    _lock: lock,
                };
                if !is_used(seat.first_port()) {
                    return Ok(Some(seat));
                }
            }
        }
        Ok(None)
    }

    /// The first of its ports.
    pub(super) const fn first_port(&self) -> u16 {
        FIRST_PORT + self.number * PORTS
    }
}

/// Returns whether a program listens on a port, such as one of another user.
fn is_used(port: u16) -> bool {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    bound.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// The seats of the tasks of a run: as many as it works on at a time, once that many had
/// their turn. A task keeps its seat until another one needs it.
#[derive(Debug)]
pub(super) struct Seats {
    host: HostDir,
    jobs: usize,
    is_used: fn(u16) -> bool,
    /// By task; that of `lane.check` has none.
    taken: Mutex<BTreeMap<Option<TaskNumber>, Arc<Seat>>>,
}

impl Seats {
    pub(super) fn new(host: HostDir, jobs: usize) -> Self {
        Self {
            host,
            jobs,
            is_used,
            taken: Mutex::default(),
        }
    }

    fn take(&self) -> Result<Seat, Stop> {
        let seat = Seat::take(&self.host, self.is_used).map_err(halted)?;
        seat.ok_or_else(|| {
            halted(format!(
                "all {SEATS} ranges of ports for tasks are in use by runs on this computer; wait \
                 for one of them to end, then resume this one"
            ))
        })
    }

    /// The seat of a task, or of `lane.check`, whose program runs as long as the caller
    /// holds it.
    pub(super) fn of(&self, task: impl Into<Option<TaskNumber>>) -> Result<Arc<Seat>, Stop> {
        let task = task.into();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = taken.get(&task) {
            return Ok(Arc::clone(seat));
        }
        let is_idle = |(task, seat): (&Option<TaskNumber>, &Arc<Seat>)| {
            (Arc::strong_count(seat) == 1).then_some(*task)
        };
        let idle = match taken.len() < self.jobs {
            true => None,
            false => taken.iter().find_map(is_idle),
        };
        let seat = match idle.and_then(|idle| taken.remove(&idle)) {
            Some(seat) => seat,
            None => Arc::new(self.take()?),
        };
        taken.insert(task, Arc::clone(&seat));
        Ok(seat)
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn task(number: u32) -> TaskNumber {
        TaskNumber::new(number).unwrap()
    }

    fn host(folder: &TempDir) -> HostDir {
        HostDir::at(folder.path().join("host"))
    }

    /// A run on a computer on which no program listens.
    fn run(folder: &TempDir, jobs: usize) -> Seats {
        Seats {
            is_used: |_| false,
            ..Seats::new(host(folder), jobs)
        }
    }

    fn first_port(seats: &Seats, number: u32) -> u16 {
        seats.of(task(number)).unwrap().first_port()
    }

    #[test]
    fn tasks_of_two_runs_that_work_at_a_time_share_no_port() {
        let folder = TempDir::new().unwrap();
        let (one, other) = (run(&folder, 2), run(&folder, 2));
        let held = [
            one.of(task(1)).unwrap(),
            other.of(task(1)).unwrap(),
            one.of(task(2)).unwrap(),
        ];
        let ports = held.each_ref().map(|seat| seat.first_port());
        assert_eq!(ports, [20_000, 20_100, 20_200]);
    }

    #[test]
    fn a_task_keeps_its_seat_until_another_one_needs_it() {
        let folder = TempDir::new().unwrap();
        let seats = run(&folder, 2);
        assert_eq!(first_port(&seats, 1), 20_000);
        assert_eq!(first_port(&seats, 2), 20_100);
        assert_eq!(first_port(&seats, 1), 20_000);
        let working = seats.of(task(1)).unwrap();
        assert_eq!(first_port(&seats, 3), 20_100);
        assert_eq!(working.first_port(), 20_000);
        assert_eq!(first_port(&seats, 2), 20_100);
    }

    #[test]
    fn ports_on_which_a_program_listens_are_left_out() {
        let folder = TempDir::new().unwrap();
        let seats = Seats {
            is_used: |port| port < 20_300,
            ..Seats::new(host(&folder), 1)
        };
        assert_eq!(first_port(&seats, 1), 20_300);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(is_used(port));
    }

    #[test]
    fn a_task_without_a_free_seat_does_not_start() {
        let folder = TempDir::new().unwrap();
        let take = || Seat::take(&host(&folder), |_| false);
        let all: Vec<_> = (0..SEATS).map(|_| take().unwrap().unwrap()).collect();
        assert_eq!(all.last().unwrap().first_port(), 29_900);
        assert!(take().unwrap().is_none());
        let seats = run(&folder, 1);
        assert!(matches!(seats.of(task(1)), Err(Stop::Broken(_))));
        drop(all);
        assert_eq!(first_port(&seats, 1), 20_000);
    }
}
