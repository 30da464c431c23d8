// SPDX-License-Identifier: LGPL-2.1-or-later
//! Read and write the blocks of ZIO channels and block files, using libzio.
//!
//! ```no_run
//! let mut ch = zio::Channel::open("zzero-0-2")?;
//! while let Some(block) = ch.next_block()? {
//!     println!("{} {} {:?}", block.seq(), block.lost(), block.values()?);
//! }
//! # Ok::<(), zio::Error>(())
//! ```
//!
//! A block is valid until the next one is read, and the compiler enforces it:
//!
//! ```compile_fail,E0499
//! let mut ch = zio::Channel::open("run.zio")?;
//! let first = ch.next_block()?.unwrap();
//! let second = ch.next_block()?.unwrap();
//! println!("{:?}", first.bytes());
//! # Ok::<(), zio::Error>(())
//! ```
//!
//! A channel can move to another thread, but two threads cannot use it at once:
//!
//! ```
//! fn moves<T: Send>() {}
//! fn is_read_by_many<T: Send + Sync>() {}
//! moves::<zio::Channel>();
//! is_read_by_many::<zio::Block<'static>>();
//! ```
//!
//! ```compile_fail,E0277
//! fn is_used_by_many<T: Sync>() {}
//! is_used_by_many::<zio::Channel>();
//! ```
#![warn(missing_docs)]

mod block;
mod channel;
mod error;
mod ffi;

pub use block::{Block, Sample, Scaling};
pub use channel::Channel;
pub use error::Error;
pub use ffi::Stats;
