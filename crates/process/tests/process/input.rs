use review_process::{Command, Ended, Stdin};

use crate::support::{run_alone, run_sh, sh};

const MEGABYTE: usize = 1_000_000;

async fn run_with(input: &[u8], mut command: Command) -> Ended {
    command.stdin = Stdin::Bytes(input.to_vec());
    run_alone(command).await.unwrap()
}

#[tokio::test]
async fn no_input_is_an_empty_input() {
    let ended = run_sh("cat; echo end").await;
    assert_eq!(ended.stdout.text(), "end\n");
}

#[tokio::test]
async fn the_program_reads_its_input_to_the_end() {
    for input in ["", "prompt"] {
        let ended = run_with(input.as_bytes(), sh("cat; echo .")).await;
        assert_eq!(ended.stdout.text(), format!("{input}.\n"));
    }
}

#[tokio::test]
async fn a_program_may_write_a_megabyte_before_it_reads() {
    let input = vec![b'p'; MEGABYTE];
    let ended = run_with(&input, sh("head -c 1000000 /dev/zero; cat")).await;
    let output = ended.stdout.into_complete().unwrap();
    let (zeroes, prompt) = output.split_at(MEGABYTE);
    assert!(zeroes.iter().all(|&byte| byte == 0));
    assert!(prompt == input);
}

#[tokio::test]
async fn a_program_need_not_read_its_input() {
    let input = vec![b'p'; MEGABYTE];
    for script in [
        "echo done",
        "exec <&-; echo done",
        "head -c 10 >&2; echo done",
    ] {
        let ended = run_with(&input, sh(script)).await;
        assert!(ended.success(), "{script}");
        assert_eq!(ended.stdout.text(), "done\n", "{script}");
    }
}
