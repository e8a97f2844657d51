//! Directories that are opened to be listed, where Landlock alone holds reading: the kernel refuses
//! those above a hidden directory, and the reply says why. Nothing is decided here.

use super::walk::{Follow, Walk};
use super::{Gatekeeper, Question, Said, Told};
use crate::cage::filter::{UNNAMED, WRITING};
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

const LIST: &str = "list";

impl Gatekeeper {
    /// Answers an opening. Notes a directory that cannot be listed: the call goes on, and the rules
    /// hold it.
    pub(super) fn decide_opening(&mut self, question: &Question) -> Said {
        if self.survey.alone
            && let Some(address) = opened_to_list(question)
        {
            if let Some(path) = self.find_unlisted(question, address) {
                self.note_as(question, LIST, &path, Told::WhereFailed);
            }
            // What is hidden in a root is asked about by every opening.
            if self.survey.hidden.is_empty() {
                return Said::GoOn;
            }
        }
        self.decide_names(question)
    }

    fn find_unlisted(&self, question: &Question, address: u64) -> Option<PathBuf> {
        let asker = self.asker(question);
        let text = PathBuf::from(OsString::from_vec(asker.path_text(address).ok()?));
        let object = Walk::new(&asker, libc::AT_FDCWD).hold(&text, Follow::Yes).ok()?;
        let path = super::memory::name_of(object.as_fd()).ok()?;
        self.survey.readable.is_unlisted(&path).then_some(path)
    }
}

/// The address of the path that a call opens to list it, as far as the filter asks about that.
fn opened_to_list(question: &Question) -> Option<u64> {
    const WANTED: u64 = libc::O_DIRECTORY as u64;
    const OTHERS: u64 = libc::O_PATH as u64 | (WRITING | UNNAMED) as u64;
    let [at, address, flags, ..] = question.arguments;
    let lists = libc::c_long::from(question.call) == libc::SYS_openat
        && at as i32 == libc::AT_FDCWD
        && flags & (WANTED | OTHERS) == WANTED;
    lists.then_some(address)
}
