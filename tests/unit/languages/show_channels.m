% SPDX-License-Identifier: GPL-2.0-only
% Usage: octave-cli show_channels.m FILE...
% Prints each field of each channel in a line, or the error.
function show_channels(file)
try
    channels = zioread(file);
catch problem
    printf('error %s\n', problem.message);
    return
end
for channel = channels
    printf('name %s\nunit %s\n', channel.name, channel.unit);
    printf('time_ns%s\n', sprintf(' %d', channel.time_ns));
    for name = {'rate', 'seq', 'lost', 'taken', 'missed', 'outage', 'values', 'time'}
        numbers = channel.(name{1});
        printf('%s%s\n', name{1}, sprintf(' %.17g', numbers(:)));
    end
end
end

for name = argv()'
    printf('file %s\n', name{1});
    show_channels(name{1});
end
