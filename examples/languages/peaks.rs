// SPDX-License-Identifier: LGPL-2.1-or-later
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let mut ch = zio::Channel::open(&path)?;
    while let Some(block) = ch.next_block()? {
        let peak = block.values()?.into_iter().fold(f64::MIN, f64::max);
        let (secs, ns) = (block.time_ns() / 1_000_000_000, block.time_ns() % 1_000_000_000);
        println!("{} {secs}.{ns:09} {} {peak:.4}", block.seq(), block.lost());
    }
    Ok(())
}
