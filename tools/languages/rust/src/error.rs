// SPDX-License-Identifier: LGPL-2.1-or-later
use std::ffi::CStr;
use std::os::raw::{c_char, c_int};
use std::{fmt, io};

use crate::ffi;

/// The reason of a failed call: the text of the library, which names the file and the step.
#[derive(Debug)]
pub struct Error {
    code: c_int,
    text: String,
}

impl Error {
    pub(crate) fn new(code: c_int, text: impl Into<String>) -> Error {
        let text = text.into();
        Error { code, text }
    }

    /// The caller has passed something that the library cannot accept.
    pub(crate) fn invalid(text: impl Into<String>) -> Error {
        Error::new(unsafe { ffi::zio_rs_einval }, text)
    }

    /// The errno
    pub fn code(&self) -> i32 {
        self.code
    }

    /// The errno as an error kind of the standard library
    pub fn kind(&self) -> io::ErrorKind {
        io::Error::from_raw_os_error(self.code).kind()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}

/// Return the errno set by the last call.
pub(crate) fn errno() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Return the text at @text; empty for NULL.
///
/// # Safety
/// @text is NULL or ends with a zero.
pub(crate) unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}
