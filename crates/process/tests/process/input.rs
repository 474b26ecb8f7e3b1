use review_process::{Command, Ended, InputRead, Stdin};

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

/// Runs a script with a megabyte of input, and returns how many bytes of it were read.
async fn read_of_a_megabyte(script: &str) -> u64 {
    let ended = run_with(&vec![b'p'; MEGABYTE], sh(script)).await;
    let input = ended.input.unwrap();
    assert_eq!(input.bytes, MEGABYTE as u64, "{script}");
    input.read
}

#[tokio::test]
async fn the_bytes_that_a_program_reads_are_counted_exactly() {
    for (script, read) in [
        ("true", 0),
        ("exec <&-; true", 0),
        ("dd bs=1 count=100", 100),
        ("dd bs=65536 count=1 iflag=fullblock", 65_536),
        ("dd bs=65537 count=3 iflag=fullblock", 196_611),
        ("dd bs=1 count=100; exec <&-; echo done", 100),
        ("(dd bs=1 count=7); dd bs=1 count=3", 10),
        ("exec 3<&0; dd bs=1 count=5 <&3 & wait $!", 5),
        ("cat", MEGABYTE as u64),
        ("sleep 1000 & cat", MEGABYTE as u64),
        ("dd bs=1 count=9; kill -9 $$", 9),
    ] {
        assert_eq!(read_of_a_megabyte(script).await, read, "{script}");
    }
}

#[tokio::test]
async fn a_short_input_that_nobody_reads_is_counted() {
    for (input, script, read) in [("", "cat", 0), ("prompt", "true", 0), ("prompt", "cat", 6)] {
        let ended = run_with(input.as_bytes(), sh(script)).await;
        let bytes = input.len() as u64;
        assert_eq!(ended.input, Some(InputRead { bytes, read }), "{script}");
    }
}

#[tokio::test]
async fn without_an_input_nothing_is_counted() {
    assert_eq!(run_sh("cat").await.input, None);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_pipe_is_open_nowhere_else_and_closed_after_a_call() {
    for input in ["", "prompt"] {
        let script = "pipe=$(readlink /proc/self/fd/0); echo $pipe; \
                      ls -l /proc/self/fd | grep -cF $pipe; cat > /dev/null";
        let ended = run_with(input.as_bytes(), sh(script)).await;
        let printed = ended.stdout.text();
        let (pipe, count) = printed.split_once('\n').unwrap();
        assert!(pipe.starts_with("pipe:"), "{printed}");
        assert_eq!(count, "1\n");
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let mut open = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        assert!(open.all(|target| target.as_os_str() != pipe));
    }
}
