//! Pages in a real browser: `RALPH_TEST_BROWSER` names a headless Chromium, and without it
//! these tests say `not run` and pass.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::scripted::Scripted;
use crate::serve::{Served, id_of};
use crate::terminal::{open, waiting};

/// The names of colour schemes as the browser numbers them, with whether they are dark.
const SCHEMES: [(&str, bool); 2] = [("0", true), ("1", false)];

/// What the browser measures at the end of a page: how wide it is, how wide its
/// content is, and the colour of the background.
const MEASURE: &str = "<script>document.title = [innerWidth, \
    document.documentElement.scrollWidth, \
    getComputedStyle(document.body).backgroundColor].join(' ')</script></body>";

struct Browser {
    program: PathBuf,
    home: PathBuf,
}

impl Browser {
    /// The browser that was asked for, with its files in the home of the project.
    fn of(project: &Scripted) -> Option<Self> {
        let Some(program) = std::env::var_os("RALPH_TEST_BROWSER") else {
            let line = b"not run: RALPH_TEST_BROWSER names no browser\n";
            std::io::stderr().write_all(line).unwrap();
            return None;
        };
        Some(Self {
            program: program.into(),
            home: project.outside("browser"),
        })
    }

    fn show(&self, address: &str, (width, scheme): (u32, &str), option: &str) -> Output {
        let mut command = Command::new(&self.program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu"]);
        command.args(["--hide-scrollbars", "--enable-logging=stderr"]);
        command.arg(format!("--user-data-dir={}", self.home.display()));
        command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
        command.arg(format!("--window-size={width},900"));
        let shown = command.args([option, address]).output().unwrap();
        let said = String::from_utf8_lossy(&shown.stderr);
        assert!(shown.status.success(), "{said}");
        assert!(!said.contains("CONSOLE"), "{said}");
        shown
    }

    /// The width of the window, that of the content, and whether the page is dark.
    fn measured(&self, page: &Path, width: u32, scheme: &str) -> (u32, u32, bool) {
        let text = fs::read_to_string(page).unwrap();
        let (before, policy) = text.split_once("<meta http-equiv").unwrap();
        let (_, after) = policy.split_once("/>").unwrap();
        let copy = page.with_extension("measured.html");
        let text = format!("{before}{after}").replace("</body>", MEASURE);
        fs::write(&copy, text).unwrap();
        let address = format!("file://{}", copy.display());
        let shown = self.show(&address, (width, scheme), "--dump-dom").stdout;
        let shown = String::from_utf8(shown).unwrap();
        let (_, title) = shown.split_once("<title>").unwrap();
        let (title, _) = title.split_once("</title>").unwrap();
        let mut words = title.splitn(3, ' ');
        let mut number = || words.next().unwrap().parse().unwrap();
        let (window, content): (u32, u32) = (number(), number());
        let colour = words.next().unwrap().trim_start_matches("rgb(");
        let red: u32 = colour.split(',').next().unwrap().parse().unwrap();
        (window, content, red < 128)
    }

    /// The width of a picture of the page as it is.
    fn pictured(&self, page: &Path, width: u32, scheme: &str) -> u32 {
        let picture = page.with_extension("png");
        let option = format!("--screenshot={}", picture.display());
        let address = format!("file://{}", page.display());
        self.show(&address, (width, scheme), &option);
        let bytes = fs::read(&picture).unwrap();
        u32::from_be_bytes(bytes[16..20].try_into().unwrap())
    }
}

/// A project with a task that waits for two, and a finding of words that cannot be broken.
fn project() -> Scripted {
    let project = Scripted::working();
    project.task(3, "[1, 2]", "true");
    let long = "/a/path/that/is/much/longer/than/the/screen/of/a/telephone".repeat(3);
    let spec = project.environment.read("specs/DEMO.md");
    project.write("specs/DEMO.md", format!("{spec}\n{long}\n"));
    project
}

#[test]
fn pages_fit_a_telephone_and_a_screen_in_light_and_in_dark() {
    let project = project();
    let Some(browser) = Browser::of(&project) else {
        return;
    };
    project.run(&[]).run().exits(0);
    let environment = &project.environment;
    environment
        .ralph(["report", "latest", "--output", "html=run.html"])
        .exits(0);
    environment
        .ralph(["gate", "--output", "html=gate.html"])
        .exits(0);
    let run = environment.read("run.html");
    assert!(run.contains("tasks by what they wait for"), "{run}");
    for page in ["run.html", "gate.html"] {
        let page = environment.root().join(page);
        for width in [400, 1_400] {
            for (scheme, is_dark) in SCHEMES {
                let measured = browser.measured(&page, width, scheme);
                assert_eq!(measured, (width, width, is_dark), "{}", page.display());
                assert_eq!(browser.pictured(&page, width, scheme), width);
            }
        }
    }
}

#[test]
fn a_served_page_of_a_run_that_goes_on_keeps_to_its_policy() {
    let (project, gate) = waiting();
    let Some(browser) = Browser::of(&project) else {
        return;
    };
    let mut run = project.run(&["--no-tasks"]).into_std().spawn().unwrap();
    open(&gate);
    let id = id_of(&project);
    let served = Served::start(project.environment.command(["serve"]));
    for (path, part) in [("", "Runs"), (&*format!("runs/{id}"), "▸ running")] {
        let shown = browser.show(&served.address(path), (400, "1"), "--dump-dom");
        let shown = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.contains(part), "{shown}");
    }
    run.kill().unwrap();
    run.wait().unwrap();
}
