#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The completion of all programs, called as bash calls it.
set -eu

usage='usage: tests/unit/completion_test.sh DIRECTORY_OF_PROGRAMS COMPLETION'
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/fake-tree.sh"
need_argument "$@"
completion=$(realpath "$2")
begin_tests "$@"
PATH=$bin:$PATH
make_tree

# cut_words LINE: cuts a line into words as readline does, at blanks, '=' and ':'.
cut_words()
{
	local line=$1 word
	COMP_WORDS=()
	while [ -n "$line" ]; do
		if [[ $line =~ ^[[:space:]]+ ]]; then
			line=${line#"${BASH_REMATCH[0]}"}
			[ -n "$line" ] || COMP_WORDS+=('')
			continue
		fi
		[[ $line =~ ^([=:]+|[^[:space:]=:]+) ]]
		word=${BASH_REMATCH[0]}
		COMP_WORDS+=("$word")
		line=${line#"$word"}
	done
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_LINE=$1
	# shellcheck disable=SC2034 # read by completions
	COMP_POINT=${#1}
}

# complete_line LINE: what the completion offers, in a shell of its own
complete_line()
{
	(
		set +eu
		# shellcheck disable=SC1090
		. "$completion"
		cut_words "$1"
		COMPREPLY=()
		_zio "${1%% *}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>&1
		echo "${COMPREPLY[*]}"
	)
}

offers()
{
	equal "$(complete_line "$1")" "$2" "completion of '$1'"
}

offers 'zio ' 'cat copy create destroy dump export flush get help kafka list nexus plot pva record restore save scope selftest set top'
offers 'zio -' '--help --usage --version'
offers 'zio l' list
offers 'zio help s' 'save scope selftest set'
offers 'zio get zz' 'zzero-0000 zzero-0000-0-0 zzero-0000-0-1 zzero-0000-0-2 zzero-0000-1-0 zzero-0001 zzero-0001-0-0 zzero-0001-0-1 zzero-0001-0-2 zzero-0001-1-0'
offers 'zio get zzero-0000/' 'zzero-0000/cset0 zzero-0000/cset1'
offers 'zio get zzero/0/trigger/' 'zzero/0/trigger/enable zzero/0/trigger/name zzero/0/trigger/nsamples zzero/0/trigger/nshots'
offers 'zio get zzero-0000-0-1/buffer/m' zzero-0000-0-1/buffer/max-buffer-len
offers 'zio list zzero-0001-1' zzero-0001-1-0
offers 'zio top --s' --sort=
offers 'zio top --sort=l' lost
offers 'zio plot zzero-0000-0-' 'zzero-0000-0-0 zzero-0000-0-1 zzero-0000-0-2'
offers 'zio plot --ti' --time
offers 'zio-plot --ti' --time
offers 'zio-top --sort=l' lost
offers 'zio set zzero-0000/cset0 cur' 'current_buffer= current_trigger='
offers 'zio set zzero-0000-0-0 ' 'alarms= buffer/max-buffer-len= enable='
offers 'zio set zzero/0/trigger n' 'nsamples= nshots='
offers 'zio set zzero/0 current_buffer=' 'kmalloc vmalloc'
offers 'zio set zzero/0 current_buffer=v' vmalloc
offers 'zio set zzero/0 enable=' '0 1'
offers 'zio set zzero/0 enable=1 trigger/ns' 'trigger/nsamples= trigger/nshots='
offers 'zio set zzero/0 enable=1 zzero-0001/' 'zzero-0001/cset0 zzero-0001/cset1'
offers 'zio set nothing x' ''
cp -R configfs/zio/triggers/hrt/.new configfs/zio/triggers/hrt/clock0
cp -R configfs/zio/devices/zzero/.new configfs/zio/devices/zzero/rack1
offers 'zio get tr' trigger:clock0
offers 'zio get trigger:' clock0
offers 'zio get trigger:clock0/p' clock0/period-ns
offers 'zio set trigger:clock0 c' clock=
offers 'zio set trigger:clock0 clock=' 'boottime monotonic realtime tai'
offers 'zio set zzero/0 current_trigger=' 'clock7 hrt user'
offers 'zio set zzero/0/trigger nshots=' 1
offers 'zio set zzero-0000-0-0 alarms=' ''
offers 'zio create ' 'device trigger'
offers 'zio create trigger ' 'hrt timer'
offers 'zio create trigger hrt new p' period-ns=
offers 'zio create trigger hrt new clock=' 'boottime monotonic realtime tai'
offers 'zio create device zzero new live=' '0 1'
offers 'zio destroy device ' rack1
touch run7.zio
offers 'zio restore ru' run7.zio
offers 'zio restore --d' --dry-run
offers 'zio save ' ''
offers 'zio-copy ' 'append=1 count= if= mode= of= verbose=1'
offers 'zio-copy if=zzero-0000-0-' 'zzero-0000-0-0 zzero-0000-0-1 zzero-0000-0-2'
offers 'zio-copy if=zzero-0000-0-1 of=ru' run7.zio
offers 'zio-copy mode=mmap' mmap-in
offers 'zio-copy --' '--append --count= --force --help --json --mode= --usage --verbose --version'
offers 'zio copy if=zzero-0001-1' zzero-0001-1-0
offers 'zio copy ru' run7.zio
offers 'zio dump --format=c' csv
offers 'zio cat --method=ri' ring
offers 'zio-copy --json of=./ru' ./run7.zio
offers 'zio-dump --f' --format=
offers 'zio-dump --format=' 'csv dec hex json signed text'
offers 'zio-dump --method=' 'auto read ring'
offers 'zio-dump -c zzero-0001-1-' zzero-0001-1-0
offers 'zio-dump run' run7.zio
offers 'zio-cat-file --' '--count= --force --help --json --method= --tap --usage --verbose --version'
offers 'zio-cat-file --method=r' 'read ring'
offers 'zio-cat-file zzero-0000-0-0 run' run7.zio
mkdir programs
printf '#!/bin/sh\nshift\necho "other-$1-$2"\n' >programs/zio-nexus
chmod +x programs/zio-nexus
PATH=$PWD/programs:$PATH
offers 'zio nexus verify x' other-verify-x
mkdir directory
touch directory/a.zio
offers 'zio-dump dir' directory/
offers 'zio-dump directory/' directory/a.zio
offers 'zio-dump d*' ''
offers 'zio nothing ' ''
# shellcheck disable=SC2016 # a name, no command
touch 'name $(touch run).zio'
# shellcheck disable=SC2016
offers 'zio-dump na' 'name\ \$\(touch\ run\).zio'

# offers_all COMMAND: every long option that its help lists
offers_all()
{
	local wanted
	# shellcheck disable=SC2086 # a command line of several words
	wanted=$($1 --help | grep -oE '^ +(-., |    )--[a-z-]+=?' |
		grep -oE -- '--.*' | sort | xargs)
	offers "$1 --" "$wanted"
}

for program in zio-copy zio-dump zio-cat-file 'zio list' 'zio get' 'zio set' \
	'zio create' 'zio destroy' 'zio top' 'zio plot' 'zio export' 'zio save' 'zio restore' \
	'zio dump' 'zio copy' 'zio cat'; do
	offers_all "$program"
done
for program in zio zio-copy zio-dump zio-cat-file zio-scope zio-top; do
	equal "$(bash -c ". '$completion'; complete -p $program")" \
		"complete -F _zio $program" "$program is completed"
done
export ZIO_SYSFS=$work/none ZIO_CONFIGFS=$work/none
offers 'zio get ' ''
offers 'zio set zzero/0 current_buffer=' ''
done_testing
