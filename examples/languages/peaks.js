// SPDX-License-Identifier: LGPL-2.1-or-later
const fs = require('fs');
const KaitaiStream = require('kaitai-struct/KaitaiStream');
const { ZioFile } = require('./ZioFile');

let next = 0;
const stream = new KaitaiStream(fs.readFileSync(process.argv[2]));
for (const { control, data } of new ZioFile(stream).blocks) {
  const lost = control.seqNum - next, ns = String(control.tstamp.ticks).padStart(9, '0');
  const samples = new Int16Array(Uint8Array.from(data).buffer);
  const volts = Math.max(...samples) * control.scale + control.offset;
  console.log(`${control.seqNum} ${control.tstamp.secs}.${ns} ${lost} ${volts.toFixed(4)}`);
  next = control.seqNum + 1;
}
