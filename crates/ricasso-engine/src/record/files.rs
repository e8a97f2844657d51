//! Where the ledger's files are and how they are opened: ours alone, never followed blindly.

use super::error::Error;
use super::head::{Head, WIDTH};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The directory of one ledger.
#[derive(Debug, Clone)]
pub(super) struct Files {
    directory: PathBuf,
}

/// What the head file holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeadFile {
    /// There is none.
    Missing,
    /// It is not what we write.
    Broken,
    /// This.
    Good(Head),
}

impl Files {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf() }
    }

    /// The directory itself.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes the directory, readable by us alone, and opens it for locking.
    pub(super) fn open_directory(&self) -> Result<File, Error> {
        let error = |source| Error::OpenDirectory { path: self.directory.clone(), source };
        make_private(&self.directory).map_err(error)?;
        File::open(&self.directory).map_err(error)
    }

    /// The path of a file of lines.
    pub(super) fn lines(&self, number: u32) -> PathBuf {
        self.directory.join(format!("{number:06}.jsonl"))
    }

    /// The path of the head.
    pub(super) fn head(&self) -> PathBuf {
        self.directory.join("head")
    }

    /// The numbers of all files of lines, in order.
    pub(super) fn numbers(&self) -> Result<Vec<u32>, Error> {
        let error = |source| Error::OpenDirectory { path: self.directory.clone(), source };
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(error)? {
            let name = entry.map_err(error)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            numbers.extend(number.and_then(|number| number.parse::<u32>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Opens a file of lines for appending; makes it where there is none.
    pub(super) fn open_lines(&self, number: u32) -> Result<(File, PathBuf), Error> {
        let path = self.lines(number);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        match private(&mut options).open(&path) {
            Ok(file) => Ok((file, path)),
            Err(source) => Err(Error::OpenFile { path, source }),
        }
    }

    /// Reads the head.
    pub(super) fn read_head(&self) -> Result<HeadFile, Error> {
        let path = self.head();
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HeadFile::Missing),
            Err(source) => return Err(Error::OpenFile { path, source }),
        };
        let mut bytes = [0; WIDTH + 1];
        match file.read(&mut bytes) {
            Ok(length) => Ok(Head::read(&bytes[..length]).map_or(HeadFile::Broken, HeadFile::Good)),
            Err(source) => Err(Error::ReadFile { path, source }),
        }
    }

    /// Writes the head in place: one write of fixed width.
    pub(super) fn write_head(&self, head: &Head) -> Result<(), Error> {
        let path = self.head();
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let written = private(&mut options)
            .open(&path)
            .and_then(|mut file| file.write_all(head.write().as_bytes()));
        written.map_err(|source| Error::WriteHead { path, source })
    }

    /// Opens the head for reading and writing, where there is one.
    pub(super) fn open_head(&self) -> Option<File> {
        OpenOptions::new().read(true).write(true).open(self.head()).ok()
    }

    /// Writes the head into its open file.
    pub(super) fn write_head_to(&self, file: &File, head: &Head) -> Result<(), Error> {
        let written = write_at_start(file, head.write().as_bytes());
        written.map_err(|source| Error::WriteHead { path: self.head(), source })
    }

    /// Removes a file of lines; one that is gone already is as good.
    pub(super) fn remove_lines(&self, number: u32) -> Result<(), Error> {
        let path = self.lines(number);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Error::Remove { path, source })
            }
            Err(_) | Ok(()) => Ok(()),
        }
    }

    /// Removes a head that cannot be read, so that nothing of it stays behind the new one.
    pub(super) fn remove_head(&self) -> Result<(), Error> {
        let path = self.head();
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Error::WriteHead { path, source })
            }
            Err(_) | Ok(()) => Ok(()),
        }
    }
}

/// The head in an open file; nothing where it cannot be read.
#[cfg(unix)]
pub(super) fn head_of(file: &File) -> Option<Head> {
    use std::os::unix::fs::FileExt;
    let mut bytes = [0; WIDTH + 1];
    let length = file.read_at(&mut bytes, 0).ok()?;
    Head::read(&bytes[..length])
}

/// Whether an open file is still the one that this path names: not removed, replaced or moved.
#[cfg(unix)]
pub(super) fn is_at(found: &fs::Metadata, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).is_ok_and(|named| (named.dev(), named.ino()) == (found.dev(), found.ino()))
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, 0)
}

/// Elsewhere nothing is kept open, so that the long way is always taken.
#[cfg(not(unix))]
pub(super) fn head_of(_file: &File) -> Option<Head> {
    None
}

/// Elsewhere nothing is kept open.
#[cfg(not(unix))]
pub(super) fn is_at(_found: &fs::Metadata, _path: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::io::Seek;
    let mut file = file;
    file.rewind().and_then(|()| file.write_all(bytes))
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn make_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}
