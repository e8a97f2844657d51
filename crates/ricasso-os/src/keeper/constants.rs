//! Constants with addresses in them, taken off what a fork copies.
//!
//! The loader writes addresses of this process into them and shuts them for good. For the kernel
//! they are memory of our own since then, hundreds of pages, and each fork of a warden and of a
//! first process copies all their entries. Mapped anew, from a file in memory with the same bytes,
//! they are looked up by whoever needs them, and most need a few.

use crate::pipe::anonymous_file;
use rustix::fd::AsRawFd;
use rustix::process::{Resource, getrlimit};
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{Error, Result, Write};
use std::ops::Range;

/// Fewer bytes than this are not worth a mapping.
const LEAST_BYTES: usize = 64 * 1024;

/// Maps them anew, in a process with one thread. What fails stays as it was.
pub(super) fn share() {
    // A limit of files holds for those in memory too, and ends whoever goes beyond it.
    let most = getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    for pages in shut_by_the_loader() {
        if (LEAST_BYTES..=most).contains(&pages.len()) {
            let _ = map_anew(&pages);
        }
    }
}

/// What the loader shut when it had written to it: whole pages of each object.
fn shut_by_the_loader() -> Vec<Range<usize>> {
    unsafe extern "C" fn add(
        object: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        found: *mut c_void,
    ) -> c_int {
        let page = rustix::param::page_size();
        // SAFETY: the loader tells of one object here, which stays while it is told of.
        let object = unsafe { &*object };
        // SAFETY: the list below hands in itself, and uses itself only when all is told.
        let found = unsafe { &mut *found.cast::<Vec<Range<usize>>>() };
        let count = usize::from(object.dlpi_phnum);
        if object.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: there are as many headers as the object says (dl_iterate_phdr(3)).
        let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, count) };
        for header in headers.iter().filter(|header| header.p_type == libc::PT_GNU_RELRO) {
            let start = (object.dlpi_addr + header.p_vaddr) as usize;
            let end = start + header.p_memsz as usize;
            // What shares its first page is shut with it; what shares its last one stays open.
            found.push(start / page * page..end / page * page);
        }
        0
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    // SAFETY: `add` keeps nothing of what it is told, and gets the list that it expects.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut found).cast()) };
    found
}

fn map_anew(pages: &Range<usize>) -> Result<()> {
    let place = std::ptr::with_exposed_provenance_mut::<c_void>(pages.start);
    // SAFETY: these pages are a part of this program for as long as it runs, and nobody writes to
    // them: the loader has shut them.
    let bytes = unsafe { std::slice::from_raw_parts(place.cast::<u8>(), pages.len()) };
    let mut file = File::from(anonymous_file("constants")?);
    file.write_all(bytes)?;
    let (read, private) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_FIXED);
    // SAFETY: the same bytes come to the same place, as shut as before; whoever refers to them
    // finds them there. This process has one thread, so nobody looks meanwhile.
    let mapped = unsafe { libc::mmap(place, pages.len(), read, private, file.as_raw_fd(), 0) };
    if mapped == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(()) }
}
