// SPDX-License-Identifier: LGPL-2.1-or-later
//! Find libzio with pkg-config, and compile src/shim.c, which knows the layout of a control.
use std::env;
use std::process::Command;

fn run(command: &mut Command) -> Vec<String> {
    let done = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {said}");
    let text = String::from_utf8_lossy(&done.stdout);
    text.split_whitespace().map(String::from).collect()
}

fn program(variable: &str, name: &str) -> Command {
    println!("cargo:rerun-if-env-changed={variable}");
    Command::new(env::var(variable).unwrap_or_else(|_| name.into()))
}

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let config = |what| run(program("PKG_CONFIG", "pkg-config").args([what, "libzio"]));
    let (object, archive) = (format!("{out}/shim.o"), format!("{out}/libzio_shim.a"));
    run(program("CC", "cc")
        .args(["-O2", "-fPIC", "-Wall", "-c", "src/shim.c", "-o", &object])
        .args(config("--cflags")));
    run(program("AR", "ar").args(["rcs", &archive, &object]));
    println!("cargo:rerun-if-changed=src/shim.c");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=zio_shim");
    for word in config("--libs") {
        match word.split_at(2) {
            ("-L", path) => println!("cargo:rustc-link-search=native={path}"),
            ("-l", name) => println!("cargo:rustc-link-lib={name}"),
            _ => println!("cargo:rustc-link-arg={word}"),
        }
    }
}
