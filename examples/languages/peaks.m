% SPDX-License-Identifier: LGPL-2.1-or-later
channels = zioread('run.zio');
adc = channels(1);
peaks = max(adc.values);
peaks = peaks(~isnan(peaks)); % A lost block is a column of NaN.
secs = idivide(adc.time_ns, int64(1e9));
ns = mod(adc.time_ns, int64(1e9));
for i = 1:numel(adc.seq)
    fprintf('%d %d.%09d %d %.4f\n', adc.seq(i), secs(i), ns(i), adc.lost(i), peaks(i));
end
