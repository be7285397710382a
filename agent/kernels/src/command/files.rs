//! Files that a command writes: what is in them belongs to its answer.

use crate::settings::check_failed;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use virtometer_protocol::Failure;

/// Bytes that are read at once.
const BLOCK: usize = 64 << 10;

/// SHA-256 of the lengths and the contents of these files; `None` where there are none to be looked at.
pub(super) fn digest(program: &str, paths: &[String]) -> Result<Option<[u8; 32]>, Failure> {
    if paths.is_empty() {
        return Ok(None);
    }
    let mut all = Sha256::new();
    let mut block = vec![0; BLOCK];
    for path in paths {
        let cannot = |cause: std::io::Error| match cause.kind() {
            std::io::ErrorKind::NotFound => check_failed(format!("{program} left no file {path}")),
            _ => check_failed(format!("the file {path} cannot be read after {program} has run: {cause}")),
        };
        // A pipe without a writer would be waited for, without end.
        let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(cannot)?;
        if !file.metadata().map_err(cannot)?.is_file() {
            return Err(check_failed(format!("{path} is no file after {program} has run")));
        }
        let mut length = 0u64;
        loop {
            let read = file.read(&mut block).map_err(cannot)?;
            if read == 0 {
                break;
            }
            all.update(&block[..read]);
            length += read as u64;
        }
        // Behind the contents: where one file ends and the next begins is part of the answer.
        all.update(length.to_le_bytes());
    }
    Ok(Some(all.finalize().into()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::digest;

    #[test]
    fn the_digest_is_of_the_contents_and_of_where_files_end() {
        let folder = tempfile::tempdir().unwrap();
        let written = |texts: [&str; 2]| {
            let paths = ["a", "b"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
            paths.iter().zip(texts).for_each(|(path, text)| std::fs::write(path, text).unwrap());
            digest("x", &paths).unwrap()
        };
        assert_eq!(written(["ab", "c"]), written(["ab", "c"]));
        assert_ne!(written(["ab", "c"]), written(["a", "bc"]));
        assert_eq!(digest("x", &[]).unwrap(), None);
    }

    #[test]
    fn what_is_no_file_is_named_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        for name in ["none", "pipe", "."] {
            assert!(digest("x", &[path(name)]).unwrap_err().message.contains(&path(name)), "{name}");
        }
    }
}
