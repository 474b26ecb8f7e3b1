//! Clients that write where they must not.

use review::OutOfScopeChange;
use review::types::Failure;
use review_agents::Client;

use crate::client_support::{Fake, play};

fn writing(client: Client, script: &str) -> Fake {
    let fake = Fake::new(
        client,
        &format!("{script}\n{}", play(client, "review-pass")),
    );
    fake.project.write("src.rs", "");
    fake
}

#[tokio::test]
async fn a_reviewer_that_changes_files_gives_no_answer() {
    for client in Client::ALL {
        let fake = writing(client, "echo x > src.rs; echo x > new.rs");
        let error = fake.review().await.unwrap_err();
        let paths = ["new.rs", "src.rs"].map(str::to_owned).into();
        assert_eq!(error.failure, Failure::WroteFiles { paths }, "{client}");
        assert_eq!(
            error.message,
            format!(
                "`{client}` changed new.rs, src.rs, which it may only read; the change \
                 is kept; if it was made by hand while the reviewer ran, resume the run"
            )
        );
    }
}

#[tokio::test]
async fn files_that_a_client_writes_for_itself_do_not_count_as_changes() {
    let own = "mkdir -p .opencode/node_modules/x; echo x > .opencode/node_modules/x/y; \
               echo {} > .opencode/package.json";
    writing(Client::Opencode, own).review().await.unwrap();
    let error = writing(Client::Claude, own).review().await.unwrap_err();
    assert_eq!(error.failure.as_str(), "wrote_files");
    let agent = "mkdir -p .opencode; echo x > .opencode/package.json.md";
    let error = writing(Client::Opencode, agent).review().await.unwrap_err();
    let paths = vec![".opencode/package.json.md".to_owned()];
    assert_eq!(error.failure, Failure::WroteFiles { paths });
}

#[tokio::test]
async fn the_schema_that_opencode_adds_to_its_configuration_is_not_a_change() {
    let own = "printf '{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"model\": \"m\"\n}\n' \
               > opencode.json";
    let other = "echo '{\"$schema\": \"s\", \"model\": \"n\"}' > opencode.json";
    let configured = |client, script: &str| {
        let fake = writing(client, script);
        fake.project
            .write("opencode.json", "{\n  \"model\": \"m\"\n}\n");
        fake
    };
    configured(Client::Opencode, own).review().await.unwrap();
    let applied = configured(Client::Opencode, own).apply().await.unwrap();
    assert_eq!(applied.out_of_scope, []);
    for (client, script) in [(Client::Opencode, other), (Client::Claude, own)] {
        let error = configured(client, script).review().await.unwrap_err();
        let paths = vec!["opencode.json".to_owned()];
        assert_eq!(error.failure, Failure::WroteFiles { paths }, "{client}");
    }
}

#[tokio::test]
async fn a_change_outside_the_artifact_is_reported_and_restored() {
    for client in Client::ALL {
        let fake = writing(client, "echo x > src.rs; echo x >> specs/DEMO.md");
        let report = fake.apply().await.unwrap();
        let stray = OutOfScopeChange {
            path: "src.rs".to_owned(),
            is_put_back: true,
        };
        assert_eq!(report.out_of_scope, [stray], "{client}");
        assert_eq!(fake.project.read("src.rs"), "", "{client}");
    }
}
