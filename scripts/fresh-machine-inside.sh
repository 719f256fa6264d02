#!/bin/sh
# The part of fresh-machine.sh that runs inside the bare machine: inside.sh root|user "demo test". Lines that begin
# with ## are the summary, with seconds.
set -eu
person=$1 steps=$2
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root
export CI=true GOTOOLCHAIN=local

if [ "$person" = user ]; then
	useradd --create-home --shell /bin/sh dev
	chmod 0700 /home/dev
	echo 'dev ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/dev
	home=/home/dev
else
	home=/root
fi

# as runs a command line in the clone (or in the home before there is one) as the person, as a login would.
as() {
	where=$home
	[ -d "$home/countersign" ] && where=$home/countersign
	if [ "$person" = user ]; then
		setpriv --reuid dev --regid dev --init-groups env HOME="$home" USER=dev sh -c "cd '$where' && $1"
	else
		sh -c "cd '$where' && $1"
	fi
}

now() { date +%s; }
say() { echo "## $*"; }

begin=$(now)
as "git clone --quiet /opt/countersign.bundle countersign"
say "git clone: $(($(now) - begin)) s"

# address is what the demo printed as its own.
address() { grep -o 'http://127\.0\.0\.1:[0-9]*' /tmp/demo.log 2>/dev/null | head -n 1; }
healthy() {
	url=$(address)
	[ -n "$url" ] && node -e "fetch('$url/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
}

# children lists the processes of this machine other than ourselves and the kernel's.
children() {
	for status in /proc/[0-9]*/status; do
		pid=${status#/proc/}
		pid=${pid%/status}
		[ "$pid" = 1 ] || [ "$pid" = $$ ] && continue
		[ -r "/proc/$pid/cmdline" ] && text=$(tr '\0' ' ' <"/proc/$pid/cmdline") && [ -n "$text" ] && echo "$pid $text"
	done | grep -vE '^[0-9]+ (tr|grep|sh /opt/inside.sh|/bin/sh /opt/inside.sh)' || true
}

# demo starts it as at a terminal, waits until it is healthy, presses Ctrl-C and sees that nothing is left.
demo() {
	begin=$(now)
	: >/tmp/demo.log
	as "exec env --default-signal=INT,QUIT setsid sh -c 'echo \$\$ >/tmp/demo.pid; exec make demo'" >/tmp/demo.log 2>&1 &
	waiter=$!
	tries=0
	until healthy; do
		tries=$((tries + 1))
		if ! kill -0 "$waiter" 2>/dev/null || [ "$tries" -gt 1200 ]; then
			cat /tmp/demo.log
			say "make demo ($1): not healthy after $(($(now) - begin)) s"
			exit 1
		fi
		sleep 1
	done
	say "make demo ($1): healthy after $(($(now) - begin)) s at $(address)"
	begin=$(now)
	kill -INT "-$(cat /tmp/demo.pid)" # the whole foreground group, as a terminal does
	status=0
	wait "$waiter" || status=$?
	cat /tmp/demo.log
	say "Ctrl-C: ended after $(($(now) - begin)) s, exit code $status"
	left=$(children)
	[ -z "$left" ] || { say "left running: $left"; exit 1; }
}

for step in $steps; do
	case "$step" in
	demo)
		demo "first start"
		before=$(as "cksum <.data/demo-people.txt")
		demo "second start"
		[ "$before" = "$(as "cksum <.data/demo-people.txt")" ] || { say "the second start did not keep the data"; exit 1; }
		say "the second start kept the data"
		;;
	test)
		begin=$(now)
		status=0
		as ".ci/run" >/tmp/test.log 2>&1 || status=$?
		cat /tmp/test.log
		say "make test: $(grep -E "^[0-9]+ passed, [0-9]+ failed" /tmp/test.log | tail -n 1), exit code $status, $(($(now) - begin)) s"
		[ "$status" = 0 ] || exit 1
		;;
	esac
done
