//! The caches of the user are read by agents and commands, and written by none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Project;
use super::sandbox::{TOOLS, run_in};
use crate::support::TestEnvironment;

/// Files in caches that a user's own programs run later.
const OF_USER: [&str; 5] = [
    ".cargo/registry/src/r-1/small-1.0.0/src/lib.rs",
    ".cargo/registry/cache/r-1/small-1.0.0.crate",
    ".npm/_npx/1/node_modules/.bin/vitest",
    ".cache/pypoetry/virtualenvs/x/bin/pytest",
    "go/pkg/mod/example.org/a@v1.0.0/a.go",
];

#[test]
fn no_program_of_a_run_changes_a_cache_of_the_user() {
    for tool in TOOLS {
        let project = Project::new(&[]);
        let environment = &project.environment;
        let home = environment.home();
        let mut tamper = String::new();
        for file in OF_USER {
            let path = home.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "of the user\n").unwrap();
            tamper += &format!(
                "{{ echo x > \"$HOME/{file}\"; echo x > \"$HOME/{file}.new\"; }} 2>/dev/null || :\n"
            );
        }
        fs::write(home.join("tamper.sh"), tamper).unwrap();
        environment.write(
            "ralph.toml",
            "[lane]\nsetup = [\". $HOME/tamper.sh; true\"]\n",
        );
        project.task(1, "[]", "'. $HOME/tamper.sh; grep -qx 1 1.txt'");
        project.commit();
        project.agent(1, ". $HOME/tamper.sh; echo 1 > 1.txt");
        let Some(ran) = run_in(&project, tool, &[]) else {
            continue;
        };
        ran.exits(0);
        for file in OF_USER {
            let path = home.join(file);
            assert_eq!(
                fs::read_to_string(&path).unwrap(),
                "of the user\n",
                "{tool}"
            );
            let beside = fs::read_dir(path.parent().unwrap()).unwrap();
            assert_eq!(beside.count(), 1, "{tool}: {file}");
        }
    }
}

/// The variables that lead to the homes of caches.
const VARIABLES: [&str; 7] = [
    "CARGO_HOME",
    "npm_config_cache",
    "GOMODCACHE",
    "GOCACHE",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "XDG_CACHE_HOME",
];

#[test]
fn agents_share_caches_that_no_gate_sees_with_a_sandbox_and_without() {
    for tool in [TOOLS[0], TOOLS[1], "off"] {
        let project = Project::new(&[]);
        let folders = VARIABLES.map(|name| format!("\"${name}\"")).join(" ");
        let command = format!(
            "for cache in {folders}; do [ -d \"$cache\" ] || exit 1; \
             [ ! -e \"$cache/planted\" ] || exit 1; done"
        );
        fs::write(project.environment.home().join("gate.sh"), command).unwrap();
        for task in [1, 2] {
            project.task(
                task,
                "[]",
                &format!(". $HOME/gate.sh; grep -qx {task} {task}.txt"),
            );
        }
        project.commit();
        project.agent(
            1,
            &format!(
                "for cache in {folders}; do echo x > \"$cache/planted\"; done; echo 1 > 1.txt"
            ),
        );
        project.agent(2, "[ -e \"$XDG_CACHE_HOME/planted\" ] && echo 2 > 2.txt");
        match run_in(&project, tool, &[]) {
            Some(ran) => ran.exits(0),
            None => continue,
        };
        assert_eq!(project.states(), ["landed", "landed"], "{tool}");
    }
}

/// Puts cargo on PATH, which the home of the tests knows nothing of.
pub(super) fn link_cargo(environment: &TestEnvironment) {
    for program in ["cargo", "rustc"] {
        let toolchain = Path::new(env!("CARGO")).parent().unwrap();
        let link = environment.bin().join(program);
        std::os::unix::fs::symlink(toolchain.join(program), link).unwrap();
    }
}

fn done(
    program: &str,
    folder: impl AsRef<Path>,
    home: impl AsRef<Path>,
    arguments: &[&str],
) -> String {
    let home = home.as_ref();
    let output = Command::new(program)
        .current_dir(folder)
        .args(arguments)
        .env("HOME", home)
        .env("CARGO_HOME", home.join(".cargo"))
        .env("RUSTC", Path::new(env!("CARGO")).with_file_name("rustc"))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Gives the user's cargo a cache with the crate `small`, whose function `one` returns 1, and
/// a registry that is gone afterwards.
fn warm_cache(project: &Project) {
    let home = project.environment.home();
    let registry = home.join("registry");
    let source = registry.join("small-1.0.0");
    fs::create_dir_all(source.join("src")).unwrap();
    fs::write(
        source.join("Cargo.toml"),
        "[package]\nname = \"small\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
    )
    .unwrap();
    fs::write(
        source.join("src/lib.rs"),
        "pub const fn one() -> u8 { 1 }\n",
    )
    .unwrap();
    let run = |program: &str, arguments: &[&str]| done(program, &registry, &home, arguments);
    run("tar", &["czf", "small-1.0.0.crate", "small-1.0.0"]);
    let checksum = run("sha256sum", &["small-1.0.0.crate"]);
    let checksum = checksum.split(' ').next().unwrap();
    let index = registry.join("index");
    fs::create_dir_all(index.join("sm/al")).unwrap();
    let archives = registry.display();
    fs::write(
        index.join("config.json"),
        format!("{{\"dl\": \"file://{archives}/{{crate}}-{{version}}.crate\"}}"),
    )
    .unwrap();
    fs::write(
        index.join("sm/al/small"),
        format!(
            "{{\"name\": \"small\", \"vers\": \"1.0.0\", \"deps\": [], \"cksum\": \"{checksum}\", \
             \"features\": {{}}, \"yanked\": false}}\n"
        ),
    )
    .unwrap();
    let git = |arguments: &[&str]| done("git", &index, &home, arguments);
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "Index"]);
    fs::create_dir_all(home.join(".cargo")).unwrap();
    fs::write(
        home.join(".cargo/config.toml"),
        format!(
            "[source.crates-io]\nreplace-with = \"local\"\n[source.local]\nregistry = \
             \"file://{}\"\n",
            index.display()
        ),
    )
    .unwrap();
    let other = home.join("other");
    fs::create_dir_all(other.join("src")).unwrap();
    fs::write(other.join("src/lib.rs"), "").unwrap();
    fs::write(other.join("Cargo.toml"), manifest("small = \"1\"\n")).unwrap();
    done(env!("CARGO"), &other, &home, &["fetch", "-q"]);
    fs::remove_dir_all(&registry).unwrap();
}

fn manifest(dependencies: &str) -> String {
    format!(
        "[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n\
         {dependencies}"
    )
}

/// A crate whose task is done when its function `answer` returns `wanted`.
fn kit(dependencies: &str, wanted: u8) -> Project {
    let project = Project::new(&[]);
    warm_cache(&project);
    let environment = &project.environment;
    link_cargo(environment);
    environment.write("Cargo.toml", manifest(dependencies));
    environment.write(".gitignore", "/target\n");
    environment.write("src/lib.rs", "pub const fn answer() -> u8 { 0 }\n");
    environment.write(
        "tests/answer.rs",
        format!("const _: () = assert!(kit::answer() == {wanted});\n"),
    );
    let arguments = ["generate-lockfile", "--offline", "-q"];
    done(
        env!("CARGO"),
        environment.root(),
        environment.home(),
        &arguments,
    );
    project.task(1, "[]", "cargo check --offline --test answer");
    project.commit();
    project
}

/// All files of a folder with their bytes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => all.push((path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    all.sort();
    all
}

const ADDS: &str = "cargo add small --offline -q; echo 'pub const fn answer() -> u8 { small::one() }' \
                    > src/lib.rs; cargo check --offline -q";

#[test]
fn a_crate_of_the_users_cache_is_added_and_built_without_a_network() {
    for tool in TOOLS {
        let project = kit("", 1);
        let cache = project.environment.home().join(".cargo/registry");
        let before = contents(&cache);
        project.agent(1, ADDS);
        let Some(ran) = run_in(&project, tool, &[]) else {
            continue;
        };
        ran.exits(0);
        assert_eq!(project.states(), ["landed"], "{tool}");
        assert!(
            contents(&cache) == before,
            "{tool}: the cache of the user changed"
        );
    }
}

#[test]
fn the_setup_finds_the_crates_that_the_lock_file_names() {
    for tool in [TOOLS[0], TOOLS[1], "off"] {
        let project = kit("small = \"1\"\n", 1);
        let config = "[lane]\nsetup = [\"cargo fetch --offline\"]\n";
        project.environment.write("ralph.toml", config);
        project.task(1, "[]", "grep -q one src/lib.rs");
        project.commit();
        project.agent(
            1,
            "echo 'pub const fn answer() -> u8 { small::one() }' > src/lib.rs",
        );
        if let Some(ran) = run_in(&project, tool, &[]) {
            ran.exits(0);
        }
    }
}

/// An agent that has crates return what the test wants, in every cache that it can write.
const TAMPERS: &str = r#"
    echo 'pub const fn answer() -> u8 { small::one() }' > src/lib.rs
    cargo check --offline -q
    # So that cargo builds it again.
    printf '\n[profile.dev.package.small]\nopt-level = 2\n' >> Cargo.toml
    for cargo in "$CARGO_HOME" "$HOME/.cargo"; do
        for crate in "$cargo"/registry/src/*/small-1.0.0; do
            chmod -R u+w "$crate"
            sed -i 's/{ 1 }/{ 42 }/' "$crate/src/lib.rs"
            for archive in "$cargo"/registry/cache/*/small-1.0.0.crate; do
                tar czf "$archive" -C "$crate/.." small-1.0.0
            done
        done
    done 2>/dev/null
    cargo check --offline -q --test answer > "$HOME/notes/agent" 2>&1
    echo "exit $?" >> "$HOME/notes/agent"
"#;

#[test]
fn crates_that_an_agent_tampered_with_are_not_those_of_a_gate() {
    for tool in TOOLS {
        let project = kit("small = \"1\"\n", 42);
        let home = project.environment.home();
        fs::create_dir(home.join("notes")).unwrap();
        let config = "[lane.sandbox]\nwrite = [\"~/notes\"]\n";
        project.environment.write("ralph.toml", config);
        project.commit();
        let before = contents(&home.join(".cargo/registry"));
        project.agent(1, TAMPERS);
        let Some(ran) = run_in(&project, tool, &["--attempts", "1"]) else {
            continue;
        };
        ran.exits(1);
        let agents = fs::read_to_string(home.join("notes/agent")).unwrap();
        assert_eq!(agents, "exit 0\n", "{tool}");
        assert_eq!(project.rejected(1), ["gate_red"], "{tool}");
        assert!(contents(&home.join(".cargo/registry")) == before, "{tool}");
    }
}

#[test]
fn an_archive_that_is_not_what_the_lock_file_names_is_not_used() {
    let project = kit("small = \"1\"\n", 42);
    let home = project.environment.home();
    let crates = contents(&home.join(".cargo/registry/cache"));
    let (archive, _) = crates
        .iter()
        .find(|(path, _)| path.ends_with("small-1.0.0.crate"))
        .unwrap();
    let unpacked = home.join("unpacked");
    fs::create_dir_all(unpacked.join("small-1.0.0/src")).unwrap();
    fs::write(
        unpacked.join("small-1.0.0/Cargo.toml"),
        manifest("").replace("kit", "small"),
    )
    .unwrap();
    fs::write(
        unpacked.join("small-1.0.0/src/lib.rs"),
        "pub const fn one() -> u8 { 42 }\n",
    )
    .unwrap();
    done(
        "tar",
        &unpacked,
        home,
        &["czf", archive.to_str().unwrap(), "small-1.0.0"],
    );
    project.agent(
        1,
        "echo 'pub const fn answer() -> u8 { small::one() }' > src/lib.rs",
    );
    let ran = project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.rejected(1), ["gate_red"]);
    let warning = "small-1.0.0.crate is not what Cargo.lock names, and is not used; delete it";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
}
