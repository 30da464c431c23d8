% SPDX-License-Identifier: GPL-2.0-only
% Usage: octave-cli show_hdf5.m FILE...
% Prints each dataset of the first channel of a file of zio-nexus in a line. Octave warns
% of the tables, which it does not read.
function show_hdf5(file)
entry = load('-hdf5', file).entry;
names = fieldnames(entry);
channel = entry.(names{strncmp(names, 'fake_', 5)});
for [numbers, name] = channel
    if isnumeric(numbers)
        kind = {' %d', ' %.17g'}{1 + isfloat(numbers)};
        printf('%s%s\n', name, sprintf(kind, numbers(:)));
    end
end
end

for name = argv()'
    printf('file %s\n', name{1});
    show_hdf5(name{1});
end
