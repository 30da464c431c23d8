% SPDX-License-Identifier: LGPL-2.1-or-later
function channels = zioread(file)
% ZIOREAD  read a ZIO block file in Octave or MATLAB
%
%   channels = zioread('run.zio') returns one element for each channel in the file:
%
%     name     such as 'adc-0000-0-1'
%     unit     such as 'V'; '' for a number without a unit
%     rate     sample rate at each block; NaN if its control does not state it
%     seq      sequence number of each block
%     lost     blocks lost before each block
%     taken    blocks before each block that another reader took; they were not lost
%     missed   events missed before each block
%     outage   true where the device started counting again: another run of it
%     time_ns  time of each block's event: nanoseconds of the clock of the trigger, int64
%     values   samples in the unit. Each column is a block, or NaN for a missing one
%     time     seconds of each value after the event of the first block; NaN if missing
%
%   plot(channels(1).time(:), channels(1).values(:)) shows a gap where blocks are missing. A
%   gap of more than a million values has one column. Short blocks are padded with NaN. The
%   samples of an interleaved block alternate between channels, and those taken together
%   have the same time. Without a rate, all samples of a block have the time of its event.
%
%   If a file is damaged, the error says where. A test compares the numbers here with
%   <linux/zio-user.h>, and all results with those of the library.
[bytes, starts] = find_blocks(file);
at = offsets();
controls = bytes(starts + (1:at.end_of_control)');
address = controls(at.addr + 1:at.tstamp.secs, :)';
[addresses, ~, owner] = unique(address, 'rows');
channels = struct([]);
for i = 1:size(addresses, 1)
    own = find(owner == i)';
    channel = read_channel(bytes, controls(:, own), starts(own), file);
    channels = [channels, channel]; %#ok<AGROW>
end
end

% --- numbers from the header

function at = offsets()
at.major_version = 0;
at.zio_alarms = 2;
at.seq_num = 4;
at.nsamples = 8;
at.ssize = 12;
at.nbits = 14;
at.addr = 16;
at.addr_dev_id = 28;
at.addr_cset = 32;
at.addr_chan = 34;
at.addr_devname = 36;
at.tstamp.secs = 48;
at.tstamp.ticks = 56;
at.flags = 80;
at.attr_channel.std_mask = 96;
at.attr_channel.std_val = 104;
at.attr_trigger.std_mask = 296;
at.attr_trigger.std_val = 304;
at.tlv.type = 496;
at.tlv.payload = 504;
at.end_of_control = 512;
end

function n = numbers()
n.ZIO_MAJOR_VERSION = 1;
n.ZIO_CONTROL_LITTLE_ENDIAN = 16777217;
n.ZIO_CONTROL_BIG_ENDIAN = 33554434;
n.ZIO_CONTROL_MSB_ALIGN = 4;
n.ZIO_CONTROL_INTERLEAVE_DATA = 64;
n.ZIO_TLV_CHANNELS = 1;
n.ZIO_ATTR_MAXRATE = 3;
n.ZIO_ATTR_UNIT = 5;
n.ZIO_ATTR_SIGNED = 8;
n.ZIO_ATTR_SCALE_LOW = 9;
n.ZIO_ATTR_SCALE_HIGH = 10;
n.ZIO_ATTR_OFFSET_LOW = 11;
n.ZIO_ATTR_OFFSET_HIGH = 12;
n.ZIO_ATTR_TRIG_PRE_SAMP = 2;
n.ZIO_ATTR_TRIG_RATE_NUM = 5;
n.ZIO_ATTR_TRIG_RATE_DEN = 6;
n.ZIO_ATTR_TRIG_FIRST_LOW = 7;
n.ZIO_ATTR_TRIG_FIRST_HIGH = 8;
n.ZIO_ATTR_TRIG_LOST = 10;
n.ZIO_ATTR_TRIG_MISSED = 11;
n.ZIO_ATTR_TRIG_EPOCH = 12;
n.ZIO_ALARM_LOST_BLOCK = 1;
n.ZIO_ALARM_LOST_TRIGGER = 2;
n.ZIO_DOUBLE_MAX_EXP = 280;
end

function names = unit_names()
names = {'none', 'V', 'A', 'Ohm', 'W', 'J', 'C', 'F', 'H', 'T', 'Hz', 's', 'K', ...
         'degC', 'Pa', 'N', 'N.m', 'kg', 'm', 'm/s', 'm/s2', 'rad', 'rad/s', 'lx', '%'};
end

% --- the file

function [bytes, starts] = find_blocks(file)
% @starts: the number of bytes before each block
[id, why] = fopen(file, 'r');
if id < 0
    error('zioread:file', '%s: %s', file, why);
end
bytes = fread(id, Inf, '*uint8');
fclose(id);
at = offsets();
starts = zeros(1, floor(numel(bytes) / at.end_of_control));
count = 0;
start = 0;
while start < numel(bytes)
    if start + at.end_of_control > numel(bytes)
        error('zioread:end', '%s: the file ends within the control at byte %d', file, start);
    end
    control = bytes(start + (1:at.end_of_control));
    check_control(control, file, start);
    count = count + 1;
    starts(count) = start;
    size_of_data = double(field(control, at.nsamples, 'uint32')) * ...
                   double(field(control, at.ssize, 'uint16'));
    start = start + at.end_of_control + size_of_data;
    if start > numel(bytes)
        error('zioread:end', '%s: the file ends within block %d', file, count);
    end
end
starts = starts(1:count);
end

function check_control(control, file, start)
n = numbers();
at = offsets();
marks = [n.ZIO_CONTROL_LITTLE_ENDIAN, n.ZIO_CONTROL_BIG_ENDIAN];
[~, ~, order] = computer();
own = marks(1 + (order == 'B'));
found = bitand(double(field(control, at.flags, 'uint32')), sum(marks));
if found ~= own || control(at.major_version + 1) ~= n.ZIO_MAJOR_VERSION
    error('zioread:control', ...
          '%s: no block of this version and byte order begins at byte %d', file, start);
end
end

function value = field(controls, offset, kind)
% Return a field of each control. Controls are columns.
size_of = numel(typecast(cast(0, kind), 'uint8'));
part = controls(offset + (1:size_of), :);
value = typecast(part(:), kind)';
end

% --- a channel

function channel = read_channel(bytes, controls, starts, file)
at = offsets();
channel.name = name_of(controls(:, 1));
channel.unit = '';
channel.rate = rates(controls);
channel.seq = double(field(controls, at.seq_num, 'uint32'));
[channel.lost, channel.taken, channel.missed, channel.outage] = breaks(controls, channel.seq);
[channel.time_ns, rest_ps] = events(controls);
counts = double(field(controls, at.nsamples, 'uint32'));
gaps = channel.lost + channel.taken;
gaps(gaps * max(counts) > 1e6) = 1;
columns = cumsum(1 + gaps);
channel.values = NaN(max(counts), columns(end));
channel.time = channel.values;
seconds = double(channel.time_ns - channel.time_ns(1)) / 1e9 + (rest_ps - rest_ps(1)) / 1e12;
for i = 1:numel(starts)
    rows = 1:counts(i);
    [values, unit] = read_values(bytes, controls(:, i), starts(i), file);
    if i > 1 && ~strcmp(unit, channel.unit)
        error('zioread:unit', '%s: the unit of %s changes', file, channel.name);
    end
    channel.unit = unit;
    channel.values(rows, columns(i)) = values;
    channel.time(rows, columns(i)) = seconds(i) + ...
        after_event(controls(:, i), counts(i), channel.rate(i));
end
end

function name = name_of(control)
at = offsets();
device = char(control(at.addr_devname + 1:at.tstamp.secs)');
device = device(cumsum(device == 0) == 0);
device(~ismember(device, ['a':'z', 'A':'Z', '0':'9', '_-.:+'])) = '?';
name = sprintf('%s-%04x-%d-%d', device, field(control, at.addr_dev_id, 'uint32'), ...
               field(control, at.addr_cset, 'uint16'), ...
               field(control, at.addr_chan, 'uint16'));
end

function [lost, taken, missed, outage] = breaks(controls, seq)
% Losses as zio_timeline_add() reports them. Losses before the first block do not count.
n = numbers();
at = offsets();
epoch = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_EPOCH);
told = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_LOST);
missed = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_MISSED);
alarms = double(field(controls, at.zio_alarms, 'uint8'));
[gap, counts_anew] = gaps_of(seq);
outage = counts_anew | [false, ~(epoch(2:end) == epoch(1:end - 1) | ...
                                 (isnan(epoch(2:end)) & isnan(epoch(1:end - 1))))];
lost = told;
lost(isnan(told)) = 0;
by_alarm = isnan(told) & ~outage & bitand(alarms, n.ZIO_ALARM_LOST_BLOCK);
lost(by_alarm) = gap(by_alarm);
taken = max(gap - lost, 0);
taken(outage) = 0;
by_alarm = isnan(missed);
missed(by_alarm) = bitand(alarms(by_alarm), n.ZIO_ALARM_LOST_TRIGGER) > 0;
[lost(1), taken(1), missed(1)] = deal(0);
end

function [gap, counts_anew] = gaps_of(seq)
% Implements the rule of zio_sequence_lost().
step = seq(2:end) - mod(seq(1:end - 1) + 1, 2^32);
missing = mod(step, 2^32);
is_gap = (step > 0 & missing < 2^31) | (step < 0 & missing < 2^24);
gap = [0, missing .* is_gap];
counts_anew = [false, step ~= 0 & ~is_gap];
end

function words = words_of(controls, owner, index)
% Return a standard attribute of each control, a column; NaN where it is missing.
words = double(field(controls, owner.std_val + 4 * index, 'uint32'));
masks = double(field(controls, owner.std_mask, 'uint16'));
words(~bitand(masks, 2^index)) = NaN;
end

function rate = rates(controls)
% Kernel modules of version 1.4 had the rate only in max-sample-rate.
n = numbers();
at = offsets();
num = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_RATE_NUM);
den = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_RATE_DEN);
rate = num ./ den;
old = isnan(num) & isnan(words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_EPOCH));
highest = words_of(controls, at.attr_channel, n.ZIO_ATTR_MAXRATE);
rate(old) = highest(old);
rate(~(rate > 0 & rate < Inf)) = NaN;
end

function [time_ns, rest_ps] = events(controls)
% FIRST is the time from the time stamp to the event, in signed 64-bit picoseconds.
n = numbers();
at = offsets();
low = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_FIRST_LOW);
high = words_of(controls, at.attr_trigger, n.ZIO_ATTR_TRIG_FIRST_HIGH);
there = ~isnan(low) & ~isnan(high);
bits = zeros(size(low), 'uint64');
bits(there) = bitor(uint64(low(there)), bitshift(uint64(high(there)), 32));
first = typecast(bits, 'int64');
whole = idivide(first, int64(1000), 'floor');
rest_ps = double(first - whole * 1000);
time_ns = int64(field(controls, at.tstamp.secs, 'uint64')) * 1000000000 + ...
          int64(field(controls, at.tstamp.ticks, 'uint64')) + whole;
end

function value = attribute(control, owner, index)
% Return a standard attribute as uint32; empty if it is missing.
value = uint32([]);
if bitand(double(field(control, owner.std_mask, 'uint16')), 2^index)
    value = field(control, owner.std_val + 4 * index, 'uint32');
end
end

function times = after_event(control, count, rate)
% Return the time of each sample, in seconds after the event of the block.
n = numbers();
at = offsets();
before = double(attribute(control, at.attr_trigger, n.ZIO_ATTR_TRIG_PRE_SAMP));
if isempty(before)
    before = 0;
end
times = (floor((0:count - 1)' / channels_in(control)) - before) / rate;
times(isnan(times)) = 0;
end

function number = channels_in(control)
n = numbers();
at = offsets();
flags = double(field(control, at.flags, 'uint32'));
number = 1;
if bitand(flags, n.ZIO_CONTROL_INTERLEAVE_DATA) && ...
   field(control, at.tlv.type, 'uint32') == n.ZIO_TLV_CHANNELS
    mask = control(at.tlv.payload + (1:8));
    number = max(1, sum(sum(bitget(repmat(mask, 1, 8), repmat(1:8, 8, 1)))));
end
end

% --- values

function [values, unit] = read_values(bytes, control, start, file)
at = offsets();
count = double(field(control, at.nsamples, 'uint32'));
ssize = double(field(control, at.ssize, 'uint16'));
if count && ~ismember(ssize, [1, 2, 4, 8])
    error('zioread:samples', '%s: samples of %d bytes are not numbers', file, ssize);
end
data = bytes(start + at.end_of_control + (1:count * ssize));
[scale, offset, unit] = scaling(control, file);
values = raw_numbers(data, control, ssize) * scale + offset;
end

function raw = raw_numbers(data, control, ssize)
% Return the numbers in the valid bits, as double.
n = numbers();
at = offsets();
bits = 8 * ssize;
nbits = double(field(control, at.nbits, 'uint16'));
if isempty(data)
    raw = zeros(0, 1);
    return
end
if nbits == 0 || nbits > bits
    nbits = bits;
end
samples = typecast(data, sprintf('uint%d', bits));
if bitand(double(field(control, at.flags, 'uint32')), n.ZIO_CONTROL_MSB_ALIGN)
    samples = bitshift(samples, nbits - bits);
end
mask = bitshift(intmax(class(samples)), nbits - bits);
samples = bitand(samples, mask);
raw = double(samples);
is_signed = attribute(control, at.attr_channel, n.ZIO_ATTR_SIGNED);
if ~isempty(is_signed) && is_signed ~= 0
    % A double cannot hold every 64-bit number: invert the bits, not the number.
    negative = bitget(samples, nbits) == 1;
    raw(negative) = -double(bitxor(samples(negative), mask)) - 1;
end
end

function [scale, offset, unit] = scaling(control, file)
n = numbers();
at = offsets();
scale = 1;
offset = 0;
unit = '';
own = at.attr_channel;
found = double_of(control, n.ZIO_ATTR_SCALE_LOW, n.ZIO_ATTR_SCALE_HIGH);
if isempty(found)
    return
end
scale = found;
found = double_of(control, n.ZIO_ATTR_OFFSET_LOW, n.ZIO_ATTR_OFFSET_HIGH);
if ~isempty(found)
    offset = found;
end
unit = unit_of(attribute(control, own, n.ZIO_ATTR_UNIT));
limit = 10^(n.ZIO_DOUBLE_MAX_EXP + 1);
if isempty(unit) || ~(abs(scale) < limit && abs(offset) < limit)
    error('zioread:scale', '%s: zioread does not know this scale or unit', file);
end
unit = regexprep(unit, '^none$', '');
end

function value = double_of(control, low, high)
% Return a double from two attributes; empty unless the control has both.
at = offsets();
halves = [attribute(control, at.attr_channel, low), ...
          attribute(control, at.attr_channel, high)];
value = [];
if numel(halves) == 2
    value = typecast(uint64(halves(1)) + bitshift(uint64(halves(2)), 32), 'double');
end
end

function unit = unit_of(number)
% Return the name of a unit; empty if it is unknown.
names = unit_names();
number = sum(double(number)) + 1;
unit = '';
if number <= numel(names)
    unit = names{number};
end
end
