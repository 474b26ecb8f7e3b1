use std::fs;
use std::io;

use review_flow::{Blobs, hash_bytes};
use review_store::Area;

use crate::support::Folder;

#[test]
fn bytes_are_stored_under_their_hash() {
    let folder = Folder::new();
    let state = folder.state();
    let hash = hash_bytes(b"odd \xff bytes");
    state.blobs().put(&hash, b"odd \xff bytes").expect("stored");
    let again = state.blobs();
    assert_eq!(
        again.get(&hash).expect("read").as_deref(),
        Some(&b"odd \xff bytes"[..])
    );
    assert_eq!(again.get(&hash_bytes(b"other")).expect("read"), None);
    let blobs = ".ralph-review/blobs";
    assert_eq!(folder.names(blobs), [hash.to_string()]);
    assert_eq!(folder.mode(blobs), 0o700);
    assert_eq!(folder.mode(&format!("{blobs}/{hash}")), 0o600);
}

#[test]
fn storing_again_writes_nothing() {
    let folder = Folder::new();
    let blobs = folder.state().blobs();
    let hash = hash_bytes(b"text");
    blobs.put(&hash, b"text").expect("stored");
    let file = folder.join(&format!(".ralph-review/blobs/{hash}"));
    let inode = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(&file).expect("a blob"));
    let before = inode();
    blobs.put(&hash, b"text").expect("stored");
    folder.state().blobs().put(&hash, b"text").expect("stored");
    assert_eq!(inode(), before);
}

#[test]
fn a_damaged_blob_is_an_error_until_it_is_stored_again() {
    let folder = Folder::new();
    let state = folder.state();
    let hash = hash_bytes(b"text");
    state.blobs().put(&hash, b"text").expect("stored");
    let file = state.area(Area::Blobs).join(hash.to_string());
    for damage in ["", "tex", "tExt"] {
        fs::write(&file, damage).expect("damaged");
        let error = state.blobs().get(&hash).expect_err("damaged");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(
            error
                .to_string()
                .ends_with("its bytes do not match its hash")
        );
        state.blobs().put(&hash, b"text").expect("stored");
        assert_eq!(
            state.blobs().get(&hash).expect("whole").as_deref(),
            Some(&b"text"[..])
        );
    }
}

#[test]
fn a_file_in_place_of_the_folder_is_an_error() {
    let folder = Folder::new();
    let blobs = folder.state().blobs();
    folder.write(".ralph-review/blobs", "");
    assert!(blobs.put(&hash_bytes(b"x"), b"x").is_err());
}

#[test]
fn many_blobs_are_all_stored() {
    let folder = Folder::new();
    let blobs = folder.state().blobs();
    let texts: [&[u8]; 3] = [b"", b"a", b"b"];
    for text in texts {
        blobs.put(&hash_bytes(text), text).expect("stored");
    }
    let again = folder.state().blobs();
    for text in texts {
        let found = again.get(&hash_bytes(text)).expect("read");
        assert_eq!(found.as_deref(), Some(text));
    }
}
