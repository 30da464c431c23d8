// SPDX-License-Identifier: LGPL-2.1-or-later
use std::ffi::CString;
use std::os::raw::c_int;
use std::ptr::NonNull;
use std::time::Duration;
use std::{fmt, io, mem, ptr};

use crate::error::{errno, text_of, Error};
use crate::{ffi, Block, Sample, Stats};

/// An open channel or block file. `drop` closes it.
pub struct Channel {
    raw: NonNull<ffi::Channel>,
}

// libzio: any thread may use a channel, but only one at a time.
unsafe impl Send for Channel {}

impl Channel {
    fn with_flags(name: &str, flags: c_int) -> Result<Channel, Error> {
        let invalid = |_| Error::invalid(format!("{name:?}: a name cannot have a zero"));
        let path = CString::new(name).map_err(invalid)?;
        let (mut code, mut text) = (0, [0; 512]);
        let (to, size) = (text.as_mut_ptr(), text.len());
        let raw = unsafe { ffi::zio_rs_open(path.as_ptr(), flags, &mut code, to, size) };
        match NonNull::new(raw) {
            Some(raw) => Ok(Channel { raw }),
            None => Err(Error::new(code, unsafe { text_of(to) })),
        }
    }

    /// Open a channel such as "zzero-0-2", or a block file, for reading.
    pub fn open(name: &str) -> Result<Channel, Error> {
        Channel::with_flags(name, unsafe { ffi::zio_rs_input })
    }

    /// Look at the newest blocks of an input without taking them from other readers.
    pub fn tap(name: &str) -> Result<Channel, Error> {
        Channel::with_flags(name, unsafe { ffi::zio_rs_tap })
    }

    /// Open an output channel.
    pub fn output(name: &str) -> Result<Channel, Error> {
        Channel::with_flags(name, unsafe { ffi::zio_rs_output })
    }

    /// Create a block file, or replace it.
    pub fn create(path: &str) -> Result<Channel, Error> {
        Channel::with_flags(path, unsafe { ffi::zio_rs_create })
    }

    /// Append to a block file.
    pub fn append(path: &str) -> Result<Channel, Error> {
        Channel::with_flags(path, unsafe { ffi::zio_rs_append })
    }

    /// Read the next block, waiting for one if necessary. Return None at the end of a file.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>, Error> {
        let (control, data) = (ptr::null(), ptr::null());
        let mut raw = ffi::Block { control, data, size: 0, lost: 0 };
        let result = unsafe { ffi::zio_next(self.raw.as_ptr(), &mut raw) };
        // The block is valid until the next call, which the borrow checker enforces.
        Ok((self.check(result)? > 0).then(|| unsafe { Block::new(raw) }))
    }

    /// Wait for a block. Return false if none arrives within the timeout; None waits forever.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Result<bool, Error> {
        let limit = timeout.map_or(-1, |t| t.as_millis().try_into().unwrap_or(c_int::MAX));
        let result = unsafe { ffi::zio_wait(self.raw.as_ptr(), limit) };
        Ok(self.check(result)? > 0)
    }

    /// Drop queued blocks, so that the next one is new.
    pub fn flush(&mut self) -> Result<(), Error> {
        let result = unsafe { ffi::zio_flush(self.raw.as_ptr()) };
        self.check(result).map(drop)
    }

    /// Write a block that was read, including its control.
    pub fn write_block(&mut self, block: &Block<'_>) -> Result<(), Error> {
        let ffi::Block { control, data, size, .. } = block.raw;
        let result = unsafe { ffi::zio_write_block(self.raw.as_ptr(), control, data, size) };
        self.check(result).map(drop)
    }

    /// Write the samples as a block. The library adds the sequence number and the time.
    pub fn write<T: Sample>(&mut self, samples: &[T]) -> Result<(), Error> {
        let (data, n) = (samples.as_ptr().cast(), samples.len());
        let ssize = mem::size_of::<T>() as u16;
        if u32::try_from(n).is_err() {
            return Err(Error::invalid(format!("{n} samples: use blocks of fewer than 2^32")));
        }
        let ch = self.raw.as_ptr();
        let result = unsafe { ffi::zio_rs_write(ch, data, n, ssize, T::IS_SIGNED) };
        self.check(result).map(drop)
    }

    /// Counters since the channel was opened
    pub fn stats(&self) -> Stats {
        unsafe { *ffi::zio_stats(self.raw.as_ptr()) }
    }

    /// The method that transfers blocks, such as "ring" or "file"
    pub fn method(&self) -> String {
        unsafe { text_of(ffi::zio_method(self.raw.as_ptr())) }
    }

    /// Close an output and report whether its last block was sent; `drop` ignores errors.
    pub fn close(self) -> Result<(), Error> {
        let raw = mem::ManuallyDrop::new(self).raw;
        if unsafe { ffi::zio_close(raw.as_ptr()) } < 0 {
            let error = io::Error::last_os_error();
            return Err(Error::new(errno(), format!("the last block was not sent: {error}")));
        }
        Ok(())
    }

    fn check(&mut self, result: c_int) -> Result<c_int, Error> {
        if result < 0 {
            let code = errno();
            let text = unsafe { text_of(ffi::zio_reason(self.raw.as_ptr())) };
            return Err(Error::new(code, text));
        }
        Ok(result)
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        unsafe { ffi::zio_close(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("method", &self.method()).finish()
    }
}
