# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ZIO block files for Kaitai Struct. kaitai-struct-compiler generates a reader in any of its
# languages. A test compares each number with <linux/zio-user.h>. Like all readers of ZIO,
# this one refuses a file from a machine with the other byte order.
meta:
  id: zio_file
  title: Block file of ZIO, data acquisition for Linux
  file-extension: zio
  license: LGPL-2.1-or-later
  ks-version: 0.11
  endian: le
doc-ref: Documentation/block-files.md
seq:
  - id: blocks
    type: block
    repeat: eos
types:
  block:
    seq:
      - id: control
        type: control
        size: 512
      - id: data
        size: control.nsamples * control.ssize
        doc: the samples, little-endian
  control:
    seq:
      - id: major_version
        type: u1
        valid: 1
      - id: minor_version
        type: u1
      - id: zio_alarms
        type: u1
      - id: drv_alarms
        type: u1
      - id: seq_num
        type: u4
        doc: sequence number of the block in its channel; a gap is a loss
      - id: nsamples
        type: u4
      - id: ssize
        type: u2
        doc: bytes per sample
      - id: nbits
        type: u2
        doc: valid bits per sample
      - id: addr
        type: addr
      - id: tstamp
        type: timestamp
      - id: mem_offset
        type: u4
      - id: mem_offset_high
        type: u4
      - id: flags
        type: u4
        valid:
          expr: _ & 0x03000003 == 0x01000001
      - id: triggername
        type: strz
        size: 12
        encoding: ASCII
      - id: attr_channel
        type: attributes
      - id: attr_trigger
        type: attributes
      - id: tlv
        type: tlv
    instances:
      is_msb_aligned:
        value: (flags & 4) != 0
      is_interleaved:
        value: (flags & 64) != 0
      lost_block:
        value: (zio_alarms & 1) != 0
      lost_trigger:
        value: (zio_alarms & 2) != 0
      max_rate:
        value: attr_channel.std_val[3]
        if: (attr_channel.std_mask >> 3) & 1 == 1
        doc: samples per second
      unit:
        value: attr_channel.std_val[5]
        enum: unit
        if: (attr_channel.std_mask >> 5) & 1 == 1
      is_signed:
        value: (attr_channel.std_mask >> 8) & 1 == 1 and attr_channel.std_val[8] == 1
      scale:
        pos: 140
        type: f8
        if: (attr_channel.std_mask >> 9) & 3 == 3
        doc: value = sample * scale + offset, in the unit
      offset:
        pos: 148
        type: f8
        if: (attr_channel.std_mask >> 11) & 3 == 3
      clock:
        value: attr_trigger.std_val[3]
        if: (attr_trigger.std_mask >> 3) & 1 == 1
  addr:
    seq:
      - id: sa_family
        type: u2
      - id: host_type
        type: u1
      - id: filler
        type: u1
      - id: hostid
        size: 8
      - id: dev_id
        type: u4
      - id: cset
        type: u2
      - id: chan
        type: u2
      - id: devname
        type: strz
        size: 12
        encoding: ASCII
  timestamp:
    seq:
      - id: secs
        type: u8
      - id: ticks
        type: u8
        doc: nanoseconds, or ticks of the device
      - id: bins
        type: u8
  attributes:
    seq:
      - id: std_mask
        type: u2
        doc: bit n is 1 if std_val[n] is valid
      - id: unused
        type: u2
      - id: ext_mask
        type: u4
      - id: std_val
        type: u4
        repeat: expr
        repeat-expr: 16
      - id: ext_val
        type: u4
        repeat: expr
        repeat-expr: 32
  tlv:
    seq:
      - id: type
        type: u4
        enum: tlv_type
      - id: length
        type: u4
        doc: in units of 16 bytes, including this one
      - id: payload
        size: 8
        type:
          switch-on: type
          cases:
            tlv_type::channels: channels
            tlv_type::share: share
            tlv_type::shots: shots
  channels:
    seq:
      - id: mask
        type: u8
        doc: bit n is 1 if the interleaved block has channel n
  share:
    seq:
      - id: how
        type: u4
      - id: error
        type: u4
  shots:
    seq:
      - id: n
        type: u4
      - id: unused
        type: u4
enums:
  tlv_type:
    0: none
    1: channels
    2: block_info
    3: share
    4: shots
  unit:
    0: none
    1: v
    2: a
    3: ohm
    4: w
    5: j
    6: c
    7: f
    8: h
    9: t
    10: hz
    11: s
    12: k
    13: degc
    14: pa
    15: n
    16: nm
    17: kg
    18: m
    19: m_s
    20: m_s2
    21: rad
    22: rad_s
    23: lx
    24: percent
