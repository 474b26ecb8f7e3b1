//! Steps between processes that are killed, with a real server and a program in place of
//! `ralph`. `TEMPORAL_SERVER` names the server's program.

#![expect(clippy::unwrap_used, reason = "what a test does not get fails it")]

#[path = "support/mod.rs"]
mod support;

use std::fs;

use support::{Host, OK, order, server};

/// Waits for a file `go`, and ends with its input as a real step does.
const WAITS: &str = "listen\nwait_for go\ndone 1";

#[test]
fn a_step_is_carried_out_and_its_result_stays() {
    let Some(server) = server() else { return };
    let host = Host::new(&server, "echo '{\"said\":{}}'\ndone 1");
    let worker = host.worker();
    for _ in 0..2 {
        let mut relay = host.relay();
        relay.say(&order("k", 4));
        assert_eq!(relay.lines(), ["\"alive\"", OK]);
        assert_eq!(relay.exit(), (Some(0), String::new()));
    }
    assert_eq!(host.orders(), [order("k", 4)]);
    let args = host.read("args");
    let root = host.root();
    assert_eq!(
        args,
        format!(
            "step --root {} --slots 2 --clients a,b --sandbox off\n",
            root.display()
        )
    );
    worker.kill();
}

#[test]
fn a_worker_that_was_killed_and_starts_again_carries_the_step_out_again_at_once() {
    let Some(server) = server() else { return };
    let host = Host::with(&server, WAITS, "10m,10m");
    let worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    worker.kill();
    let _worker = host.worker();
    host.wait_for_orders(2);
    host.touch("go");
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), [order("k", 1), order("k", 2)]);
}

#[test]
fn a_step_whose_worker_is_gone_is_given_back() {
    let Some(server) = server() else { return };
    let host = Host::new(&server, WAITS);
    let worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    worker.kill();
    assert_eq!(relay.lines(), ["\"alive\""]);
    assert_eq!(
        relay.exit(),
        (Some(1), "error: no worker b1 took the step\n".to_owned())
    );
}

#[test]
fn a_step_goes_on_without_its_run_which_finds_it_again() {
    let Some(server) = server() else { return };
    let host = Host::new(&server, WAITS);
    let _worker = host.worker();
    let mut first = host.relay();
    first.say(&order("k", 1));
    host.wait_for_orders(1);
    first.kill();
    let mut second = host.relay();
    second.say(&order("k", 1));
    assert_eq!(second.line(), "\"alive\"");
    second.close();
    assert_eq!(second.lines(), [""; 0]);
    let said = "error: the run no longer listens; the step goes on\n";
    assert_eq!(second.exit(), (Some(1), said.to_owned()));
    // Two at a time.
    let (mut third, mut fourth) = (host.relay(), host.relay());
    third.say(&order("k", 1));
    fourth.say(&order("k", 2));
    host.touch("go");
    assert_eq!(third.lines(), ["\"alive\"", OK]);
    assert_eq!(fourth.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), [order("k", 1)]);
}

#[test]
fn a_server_that_is_away_for_less_than_the_timeout_costs_nothing() {
    let Some(mut server) = server() else { return };
    let host = Host::with(&server, WAITS, "1m,1m");
    let _worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    server.kill();
    // The step ends while nobody can be told.
    host.touch("go");
    host.wait_for_file("ended");
    server.start();
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), [order("k", 1)]);
}

#[test]
fn a_server_that_is_away_for_longer_has_at_most_one_attempt_go_on() {
    let Some(mut server) = server() else { return };
    let host = Host::new(&server, WAITS);
    let _worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    server.kill();
    support::pass(support::HEARTBEAT * 2);
    server.start();
    // It misses the step, or hears of it before it has looked.
    support::pass(support::HEARTBEAT * 2);
    let orders = host.orders();
    if orders.len() > 1 {
        host.wait_for_heard("\"cancel\"");
        assert_eq!(orders, [order("k", 1), order("k", 2)]);
    }
    host.touch("go");
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), orders);
}

#[test]
fn a_server_that_is_away_for_too_long_ends_the_relay_and_not_the_step() {
    let Some(mut server) = server() else { return };
    let host = Host::with(&server, WAITS, "1m,1m");
    let _worker = host.worker();
    let mut relay = host.relay_with(&["--patience", "2s"]);
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    server.kill();
    assert_eq!(relay.lines(), ["\"alive\""]);
    let (code, said) = relay.exit();
    assert_eq!(code, Some(3));
    let last = said.lines().last().unwrap();
    assert!(
        last.starts_with("error: the server cannot be reached: "),
        "{said}"
    );
    server.start();
    host.touch("go");
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), [order("k", 1)]);
}

#[test]
fn a_worker_that_was_frozen_leaves_its_step_to_the_next_attempt() {
    let Some(server) = server() else { return };
    let host = Host::new(&server, WAITS);
    let worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    worker.signal("STOP");
    support::pass(support::HEARTBEAT * 2);
    worker.signal("CONT");
    host.wait_for_heard("\"cancel\"");
    host.wait_for_orders(2);
    host.touch("go");
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), [order("k", 1), order("k", 2)]);
}

#[test]
fn a_step_that_is_cancelled_leaves_no_process() {
    let body = "sleep 1000 &\necho $! > \"$HOME/child\"\n\
                listen\nwait_for never";
    for stubborn in ["", "trap '' TERM\n"] {
        let Some(server) = server() else { return };
        let host = Host::new(&server, &format!("{stubborn}{body}"));
        let _worker = host.worker();
        let mut relay = host.relay();
        relay.say(&order("k", 1));
        host.wait_for_file("child");
        relay.say("\"cancel\"");
        let undone = "{\"done\":{\"ended\":{\"Err\":\"interrupted\"}}}";
        match stubborn.is_empty() {
            true => assert_eq!(relay.lines(), ["\"alive\"", undone]),
            false => drop(relay.lines()),
        }
        host.wait_for_end_of(host.read("child").trim());
        // The same step may be ordered again.
        fs::remove_file(host.home().join("child")).unwrap();
        let mut relay = host.relay();
        relay.say(&order("k", 2));
        host.wait_for_file("child");
        relay.say("\"cancel\"");
        drop(relay.lines());
        host.wait_for_end_of(host.read("child").trim());
    }
}

#[test]
fn an_order_of_3_mb_and_a_result_of_20_mb_arrive_also_when_the_run_was_away() {
    let Some(server) = server() else { return };
    let body = "listen\nprintf '{\"done\":{\"ended\":{\"Ok\":\"'\n\
                head -c 20000000 /dev/zero | tr '\\0' A\necho '\"}}}'\n: > \"$HOME/ended\"";
    let host = Host::new(&server, body);
    let worker = host.worker();
    let more = format!("{{\"order\":{{\"settings\":\"{}\",", "S".repeat(3_000_000));
    let order = order("k", 1).replacen("{\"order\":{", &more, 1);
    let mut relay = host.relay();
    relay.say(&order);
    host.wait_for_file("ended");
    relay.kill();
    worker.drains();
    let mut relay = host.relay();
    relay.say(&order);
    let lines = relay.lines();
    let done = format!(
        "{{\"done\":{{\"ended\":{{\"Ok\":\"{}\"}}}}}}",
        "A".repeat(20_000_000)
    );
    assert_eq!(relay.exit(), (Some(0), String::new()));
    assert!(lines == ["\"alive\"", &done]);
    assert!(host.orders() == [order]);
}

#[test]
fn what_a_step_wants_is_answered_by_whoever_leads_its_run() {
    let Some(server) = server() else { return };
    let body = "echo '{\"want\":{\"contents\":[1,2],\"commits\":[\"c\"],\"tips\":[\"t\"]}}'\n\
                echo asked > \"$HOME/asked\"\n\
                for _ in 1 2 3; do\n\
                line='\"alive\"'\n\
                while [ \"$line\" = '\"alive\"' ]; do read -r line || exit 1; done\n\
                echo \"$line\" | wc -c >> \"$HOME/sizes\"\n\
                done\ndone 1";
    let host = Host::new(&server, body);
    let _worker = host.worker();
    let want = "{\"want\":{\"contents\":[1,2],\"commits\":[\"c\"],\"tips\":[\"t\"]}}";
    let mut first = host.relay();
    first.say(&order("k", 1));
    assert_eq!([first.line(), first.line()], ["\"alive\"", want]);
    first.say("{\"content\":1}");
    first.kill();
    let mut second = host.relay();
    second.say(&order("k", 1));
    assert_eq!([second.line(), second.line()], ["\"alive\"", want]);
    second.say("{\"content\":1}");
    second.say("\"alive\"");
    second.say("{\"content\":2}");
    second.say(&format!("{{\"commits\":\"{}\"}}", "B".repeat(5_000_000)));
    assert_eq!(second.lines(), [OK]);
    let sizes = host.read("sizes");
    let sizes: Vec<_> = sizes.split_whitespace().collect();
    assert_eq!(sizes, ["14", "14", "5000015"]);
}

#[test]
fn a_run_that_cancels_in_place_of_an_answer_hears_the_end() {
    let Some(server) = server() else { return };
    let body =
        "echo '{\"want\":{\"contents\":[1],\"commits\":[],\"tips\":null}}'\nlisten\nwait_for never";
    let host = Host::with(&server, body, "3s,10m");
    let _worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    let want = "{\"want\":{\"contents\":[1],\"commits\":[],\"tips\":null}}";
    assert_eq!([relay.line(), relay.line()], ["\"alive\"", want]);
    relay.say("\"cancel\"");
    let undone = "{\"done\":{\"ended\":{\"Err\":\"interrupted\"}}}";
    assert_eq!(relay.lines(), [undone]);
}

#[test]
fn a_step_whose_run_stays_away_frees_its_slot_and_may_be_ordered_again() {
    let Some(server) = server() else { return };
    let body = "echo '{\"want\":{\"contents\":[1],\"commits\":[],\"tips\":null}}'\nlisten\n\
                until grep -q content \"$HOME/heard\"; do sleep 0.05; done\ndone 1";
    let host = Host::new(&server, body);
    let _worker = host.worker();
    let want = "{\"want\":{\"contents\":[1],\"commits\":[],\"tips\":null}}";
    let mut first = host.relay();
    first.say(&order("k", 1));
    assert_eq!([first.line(), first.line()], ["\"alive\"", want]);
    first.kill();
    host.wait_for_heard("\"cancel\"");
    let mut second = host.relay();
    second.say(&order("k", 1));
    assert_eq!([second.line(), second.line()], ["\"alive\"", want]);
    second.say("{\"content\":1}");
    assert_eq!(second.lines(), [OK]);
    assert_eq!(host.orders(), [order("k", 1), order("k", 1)]);
}

#[test]
fn a_worker_that_is_told_twice_to_end_leaves_its_step_to_the_next_one() {
    let Some(server) = server() else { return };
    let host = Host::with(&server, WAITS, "10m,10m");
    let worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    worker.signal("INT");
    worker.drains();
    host.wait_for_heard("\"cancel\"");
    let _worker = host.worker();
    host.wait_for_orders(2);
    host.touch("go");
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
}

#[test]
fn a_worker_that_drains_ends_its_step_and_takes_no_other() {
    let Some(server) = server() else { return };
    let host = Host::new(&server, WAITS);
    let worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    host.wait_for_orders(1);
    worker.signal("TERM");
    let mut late = host.relay();
    late.say(&order("l", 1));
    assert_eq!(late.lines(), ["\"alive\""]);
    host.touch("go");
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    worker.drains();
    assert_eq!(host.orders(), [order("k", 1)]);
}

#[test]
fn a_step_that_is_killed_is_carried_out_again_and_three_times_at_most() {
    let Some(server) = server() else { return };
    let body = "echo killed >> \"$HOME/killed\"\n\
                [ $(wc -l < \"$HOME/killed\") = 2 ] && { done 1; exit; }\n\
                printf '{\"done\":{\"en'\nkill -KILL $$";
    let host = Host::new(&server, body);
    let _worker = host.worker();
    let mut relay = host.relay();
    relay.say(&order("k", 1));
    assert_eq!(relay.lines(), ["\"alive\"", OK]);
    assert_eq!(host.orders(), [order("k", 1), order("k", 2)]);
    let mut relay = host.relay();
    relay.say(&order("l", 1));
    assert_eq!(relay.lines(), ["\"alive\""]);
    let said = "error: the worker b1: `ralph step` ended with signal: 9 (SIGKILL)\n";
    assert_eq!(relay.exit(), (Some(1), said.to_owned()));
    assert_eq!(
        host.orders()[2..],
        [order("l", 1), order("l", 2), order("l", 3)]
    );
}

#[test]
fn a_step_that_fails_says_why_and_may_be_ordered_again() {
    let Some(server) = server() else { return };
    let refused = "{\"done\":{\"ended\":{\"Err\":{\"broken\":\"no disk\"}}}}";
    let body = format!(
        "[ -e \"$HOME/go\" ] && {{ done 1; exit; }}\n\
         [ -e \"$HOME/second\" ] && {{ echo '{refused}'; exit; }}\n\
         echo 'no such option' >&2\nexit 2"
    );
    let host = Host::new(&server, &body);
    let _worker = host.worker();
    let failure = "error: the worker b1: `ralph step` ended with exit status: 2: no such option\n";
    for (file, lines, exit) in [
        ("first", &["\"alive\""][..], (Some(1), failure.to_owned())),
        ("second", &["\"alive\"", refused], (Some(0), String::new())),
        ("go", &["\"alive\"", OK], (Some(0), String::new())),
    ] {
        host.touch(file);
        let mut relay = host.relay();
        relay.say(&order("k", 1));
        assert_eq!(relay.lines(), lines);
        assert_eq!(relay.exit(), exit);
    }
}

#[test]
fn the_workers_of_a_project_are_listed() {
    let Some(server) = server() else { return };
    let host = Host::new(&server, "done 1");
    let _worker = host.worker();
    let (listed, _) = host.list(&[]);
    let part = |before: &str| listed.split(before).nth(1).unwrap();
    let ms = part("\"ms\":").split(',').next().unwrap();
    let id = part("\"id\":\"").split('"').next().unwrap();
    let expected = format!(
        "{{\"server\":\"1.32.0\",\"namespace\":\"default\",\"retention_days\":1,\"ms\":{ms},\
         \"workers\":[{{\"name\":\"b1\",\"id\":\"{id}\",\"version\":\"0.1.0+abc\",\"slots\":2,\
         \"clients\":[\"a\",\"b\"]}}]}}\n"
    );
    assert_eq!(listed, expected);
    let (_, said) = host.list(&["--namespace", "none"]);
    let help = format!(
        "error: there is no namespace none; help: temporal operator namespace create --address {} \
         --namespace none --retention 7d\n",
        server.address()
    );
    assert_eq!(said, help);
    fs::write(host.home().join("commit"), "def").unwrap();
    host.wait_for_listed("0.1.0+def");
    assert!(!host.list(&[]).0.contains("0.1.0+abc"));
    let (state, elsewhere) = (host.home().join(".local/state"), host.home().join("other"));
    for (state, sandbox, refusal) in [
        (&state, "off", "a worker b1 runs already; help: --name"),
        (
            &elsewhere,
            "off",
            "a worker b1 runs already on another host; help: --name",
        ),
        (&elsewhere, "none", "ralph step: invalid value 'none'"),
    ] {
        let refused = host.refused_worker(state, sandbox);
        assert_eq!(refused, format!("error: {refusal}\n"));
    }
}

#[test]
fn what_would_send_a_secret_in_the_clear_or_no_certificate_is_refused() {
    let host = Host::nowhere();
    host.touch("a.pem");
    let (plain, tls) = ("http://127.0.0.1:1", "https://127.0.0.1:1");
    let no_pair = "--tls-cert and --tls-key go together";
    let no_file = "none.pem: No such file or directory (os error 2)";
    for (url, options, variable, refusal) in [
        (
            plain,
            &[][..],
            ("RALPH_ENGINE_KEY", "k"),
            "a key is sent to https:// alone; see RALPH_ENGINE_KEY",
        ),
        (tls, &["--tls-cert", "a.pem"], ("", ""), no_pair),
        (tls, &[], ("RALPH_ENGINE_TLS_KEY", "a.pem"), no_pair),
        (tls, &["--tls-ca", "none.pem"], ("", ""), no_file),
        (tls, &[], ("RALPH_ENGINE_TLS_CA", "none.pem"), no_file),
        (
            tls,
            &["--tls-cert", "a.pem"],
            ("RALPH_ENGINE_TLS_KEY", "a.pem"),
            "Error parsing TLS private key - no RSA or PKCS8-encoded keys found.",
        ),
        (
            tls,
            &["--tls-cert", "none.pem", "--tls-key", "none.pem"],
            ("", ""),
            no_file,
        ),
    ] {
        let variables = [variable];
        let variables = match variable.0.is_empty() {
            true => &[][..],
            false => &variables,
        };
        let (_, said) = host.list_at(url, options, variables);
        assert_eq!(
            said,
            format!("error: {refusal}\n"),
            "{options:?} {variable:?}"
        );
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let host = Host::nowhere();
    let (listed, said) = host.list(&[]);
    assert_eq!(listed, "");
    assert_eq!(
        said,
        "error: the server cannot be reached: Connection refused (os error 111)\n"
    );
}
