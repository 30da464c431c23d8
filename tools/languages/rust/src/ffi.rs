// SPDX-License-Identifier: LGPL-2.1-or-later
//! Functions of libzio and shim.c. Contains no numbers of the ABI.
use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
pub struct Channel {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Control {
    _opaque: [u8; 0],
}

/// `struct zio_block`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Block {
    pub control: *const Control,
    pub data: *const c_void,
    pub size: usize,
    pub lost: u32,
}

/// `struct zio_stats`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Number of blocks
    pub blocks: u64,
    /// Bytes of their samples
    pub bytes: u64,
    /// Number of missing blocks, according to the sequence numbers
    pub lost: u64,
}

extern "C" {
    pub static zio_rs_einval: c_int;
    pub static zio_rs_input: c_int;
    pub static zio_rs_tap: c_int;
    pub static zio_rs_create: c_int;
    pub static zio_rs_append: c_int;
    pub static zio_rs_output: c_int;
    #[cfg(test)]
    pub static zio_rs_block_size: usize;

    pub fn zio_rs_open(
        name: *const c_char,
        flags: c_int,
        code: *mut c_int,
        text: *mut c_char,
        size: usize,
    ) -> *mut Channel;
    pub fn zio_rs_seq(control: *const Control) -> u32;
    pub fn zio_rs_ssize(control: *const Control) -> u16;
    pub fn zio_rs_time_ns(control: *const Control) -> u64;
    pub fn zio_rs_name(control: *const Control, text: *mut c_char, size: usize);
    pub fn zio_rs_scale(
        control: *const Control,
        scale: *mut f64,
        offset: *mut f64,
        unit: *mut *const c_char,
    ) -> c_int;
    pub fn zio_rs_write(
        ch: *mut Channel,
        data: *const c_void,
        n: usize,
        ssize: u16,
        is_signed: bool,
    ) -> c_int;

    pub fn zio_close(ch: *mut Channel) -> c_int;
    pub fn zio_next(ch: *mut Channel, block: *mut Block) -> c_int;
    pub fn zio_wait(ch: *mut Channel, timeout: c_int) -> c_int;
    pub fn zio_flush(ch: *mut Channel) -> c_int;
    pub fn zio_reason(ch: *mut Channel) -> *const c_char;
    pub fn zio_stats(ch: *const Channel) -> *const Stats;
    pub fn zio_method(ch: *const Channel) -> *const c_char;
    pub fn zio_block_to_double(block: *const Block, values: *mut f64, n: usize) -> isize;
    pub fn zio_write_block(
        ch: *mut Channel,
        control: *const Control,
        data: *const c_void,
        size: usize,
    ) -> c_int;
}
