// SPDX-License-Identifier: GPL-2.0-only
//! Block files, which need no hardware. The caller provides $ZIO_RECORDING and $ZIO_CUT.
use std::env;
use std::io::ErrorKind;
use std::thread;
use std::time::Duration;

use zio::{Channel, Error, Scaling};

type Done = Result<(), Error>;

fn recording() -> Channel {
    Channel::open(&env::var("ZIO_RECORDING").unwrap()).unwrap()
}

fn new_file(name: &str) -> String {
    let path = env::temp_dir().join(format!("zio-{}-{name}", std::process::id()));
    path.into_os_string().into_string().unwrap()
}

#[test]
fn block_has_its_values() -> Done {
    let mut ch = recording();
    let block = ch.next_block()?.unwrap();
    let samples: &[i16] = block.samples().unwrap();
    assert_eq!((samples.len(), block.bytes().len()), (100, 200));
    assert!(block.samples::<f32>().is_none());
    assert_eq!(block.values()?[25], f64::from(samples[25]) * 0.001 + 0.25);
    let (scale, offset, unit) = (0.001, 0.25, "V".to_string());
    assert_eq!(block.scaling()?, Scaling { scale, offset, unit });
    assert_eq!(block.channel(), "adc-0000-0-1");
    assert_eq!(block.time_ns(), 1_700_000_000_000_000_000);
    assert_eq!(ch.method(), "file");
    Ok(())
}

#[test]
fn copy_of_a_file() -> Done {
    let (mut from, path) = (recording(), new_file("copy"));
    let mut to = Channel::create(&path)?;
    while let Some(block) = from.next_block()? {
        to.write_block(&block)?;
    }
    to.close()?;
    let mut copy = Channel::open(&path)?;
    while copy.next_block()?.is_some() {}
    assert_eq!(copy.stats(), from.stats());
    assert_eq!((copy.stats().blocks, copy.stats().lost), (8, 2));
    std::fs::remove_file(path).unwrap();
    Ok(())
}

#[test]
fn file_of_samples() -> Done {
    let path = new_file("samples");
    let mut out = Channel::create(&path)?;
    out.write(&[-1i32, 2])?;
    out.close()?;
    let mut out = Channel::append(&path)?;
    out.write(&[3u8])?;
    drop(out);
    let mut ch = Channel::open(&path)?;
    assert!(ch.wait(Some(Duration::ZERO))?);
    assert_eq!(ch.next_block()?.unwrap().values()?, [-1.0, 2.0]);
    assert_eq!(ch.next_block()?.unwrap().samples::<u8>().unwrap(), [3]);
    assert!(ch.next_block()?.is_none());
    std::fs::remove_file(path).unwrap();
    Ok(())
}

#[test]
fn errors_have_the_text_of_the_library() -> Done {
    let error = Channel::open("no/such/file").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("no/such/file"));
    assert_eq!(Channel::open("a\0b").unwrap_err().kind(), ErrorKind::InvalidInput);
    let mut cut = Channel::open(&env::var("ZIO_CUT").unwrap())?;
    let end = loop {
        match cut.next_block() {
            Ok(block) => assert!(block.is_some()),
            Err(error) => break error,
        }
    };
    assert!(end.to_string().contains("end of file after"), "{end}");
    assert!(end.code() != 0);
    assert!(cut.write(&[1u8]).is_err());
    assert!(cut.flush().is_err());
    Ok(())
}

#[test]
fn channel_moves_to_a_thread_and_its_block_is_read_by_many() -> Done {
    let mut ch = recording();
    let read = move || {
        let block = ch.next_block().unwrap().unwrap();
        thread::scope(|scope| {
            let sums = [0, 1].map(|_| scope.spawn(|| block.bytes().iter().map(|&b| u64::from(b)).sum()));
            sums.map(|sum| sum.join().unwrap())
        })
    };
    let [one, other]: [u64; 2] = thread::spawn(read).join().unwrap();
    assert!(one == other && one > 0);
    Ok(())
}
