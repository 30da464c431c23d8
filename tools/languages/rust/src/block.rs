// SPDX-License-Identifier: LGPL-2.1-or-later
use std::marker::PhantomData;
use std::{io, ptr};

use crate::error::{text_of, Error};
use crate::{ffi, Channel};

mod sealed {
    pub trait Sealed {}
}

/// A type of samples. Every bit pattern is a valid value.
pub trait Sample: sealed::Sealed + Copy {
    #[doc(hidden)]
    const IS_SIGNED: bool;
}

macro_rules! samples {
    ($($kind:ty: $is_signed:expr),*) => {$(
        impl sealed::Sealed for $kind {}
        impl Sample for $kind {
            const IS_SIGNED: bool = $is_signed;
        }
    )*};
}

samples!(i8: true, i16: true, i32: true, i64: true);
samples!(u8: false, u16: false, u32: false, u64: false, f32: false, f64: false);

/// Converts samples to values: value = raw * scale + offset
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Value of one raw step
    pub scale: f64,
    /// Value of raw number 0
    pub offset: f64,
    /// Such as "V"; empty for a number without a unit
    pub unit: String,
}

/// A block, borrowed from its channel until the next call
pub struct Block<'a> {
    pub(crate) raw: ffi::Block,
    channel: PhantomData<&'a Channel>,
}

// The memory does not change while the block exists, and any thread may read it.
unsafe impl Send for Block<'_> {}
unsafe impl Sync for Block<'_> {}

impl<'a> Block<'a> {
    /// # Safety
    /// @raw is valid for 'a.
    pub(crate) unsafe fn new(raw: ffi::Block) -> Block<'a> {
        let channel = PhantomData;
        Block { raw, channel }
    }

    /// Sequence number of the block in its channel; a gap is a loss
    pub fn seq(&self) -> u32 {
        unsafe { ffi::zio_rs_seq(self.raw.control) }
    }

    /// Number of blocks missing before this one
    pub fn lost(&self) -> u32 {
        self.raw.lost
    }

    /// Time in nanoseconds, of the trigger's clock
    pub fn time_ns(&self) -> u64 {
        unsafe { ffi::zio_rs_time_ns(self.raw.control) }
    }

    /// Name of the channel that acquired the block, such as "zzero-0000-0-2"
    pub fn channel(&self) -> String {
        let mut text = [0; 64];
        unsafe {
            ffi::zio_rs_name(self.raw.control, text.as_mut_ptr(), text.len());
            text_of(text.as_ptr())
        }
    }

    /// The samples, as bytes
    pub fn bytes(&self) -> &'a [u8] {
        if self.raw.data.is_null() {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(self.raw.data.cast(), self.raw.size) }
    }

    /// The raw samples; None if their size is not that of T, or if the memory is not aligned
    /// for T
    pub fn samples<T: Sample>(&self) -> Option<&'a [T]> {
        let ssize = unsafe { ffi::zio_rs_ssize(self.raw.control) };
        // Every bit pattern is a T.
        let (head, samples, tail) = unsafe { self.bytes().align_to::<T>() };
        let fits = usize::from(ssize) == std::mem::size_of::<T>();
        (fits && head.is_empty() && tail.is_empty()).then_some(samples)
    }

    /// The conversion of samples to values
    pub fn scaling(&self) -> Result<Scaling, Error> {
        let (mut scale, mut offset, mut unit) = (0.0, 0.0, ptr::null());
        let control = self.raw.control;
        let result = unsafe { ffi::zio_rs_scale(control, &mut scale, &mut offset, &mut unit) };
        if result != 0 {
            return Err(self.no_numbers());
        }
        let unit = unsafe { text_of(unit) };
        Ok(Scaling { scale, offset, unit })
    }

    /// The samples in the unit of `scaling()`
    pub fn values(&self) -> Result<Vec<f64>, Error> {
        let ssize = usize::from(unsafe { ffi::zio_rs_ssize(self.raw.control) });
        let mut values = vec![0.0; self.raw.size.checked_div(ssize).unwrap_or(0)];
        let (to, n) = (values.as_mut_ptr(), values.len());
        if n > 0 && unsafe { ffi::zio_block_to_double(&self.raw, to, n) } < 0 {
            return Err(self.no_numbers());
        }
        Ok(values)
    }

    fn no_numbers(&self) -> Error {
        let error = io::Error::last_os_error();
        let text = format!("block {}: its samples are not numbers: {error}", self.seq());
        Error::new(error.raw_os_error().unwrap_or(0), text)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn block_has_the_size_of_the_header() {
        let size = unsafe { crate::ffi::zio_rs_block_size };
        assert_eq!(std::mem::size_of::<crate::ffi::Block>(), size);
    }
}
