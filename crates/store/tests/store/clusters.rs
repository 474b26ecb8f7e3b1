//! Cluster registries.

use std::fs;

use review_learning::cluster::ClusterRegistry;
use review_store::{LessonFiles, Root};

use crate::support::{applier, reviewer};

#[test]
fn the_clusters_of_an_agent_are_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Root::open(folder.path()).expect("a root");
    let files = LessonFiles::new(&root).expect("a folder");
    assert_eq!(
        files.clusters(&applier()).expect("nothing"),
        ClusterRegistry::default()
    );
    let lock = files.lock(&applier()).expect("not locked");
    let mut registry = ClusterRegistry::default();
    registry.update(&[vec!["a", "b"]]);
    files
        .put_clusters(&lock, &applier(), &registry)
        .expect("written");
    registry.update(&[vec!["a", "b"], vec!["c"]]);
    files
        .put_clusters(&lock, &applier(), &registry)
        .expect("written again");
    assert_eq!(files.clusters(&applier()).expect("read"), registry);
    let path = folder.path().join(".aiwg/.lessons/applier/clusters.json");
    assert_eq!(
        fs::read_to_string(&path).expect("a file"),
        "{\"v\":1,\"next\":2,\"clusters\":{\"0\":[\"a\",\"b\"],\"1\":[\"c\"]}}\n"
    );
    assert_eq!(
        files.clusters(&reviewer()).expect("nothing"),
        ClusterRegistry::default()
    );
    fs::write(&path, "{").expect("written");
    let error = files
        .clusters(&applier())
        .expect_err("not a registry")
        .to_string();
    let expected = ".aiwg/.lessons/applier/clusters.json is not a valid cluster registry; \
        remove it to start with new cluster ids";
    assert_eq!(error, expected);
}
