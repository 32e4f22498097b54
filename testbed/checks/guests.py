# SPDX-License-Identifier: Apache-2.0
"""One guest for a command, and devices on the host: what a caller sees, and what is left afterwards."""

import os
import re
import signal
import subprocess
import tempfile

from runner import guest, machine

from .harness import (ALL_BYTES, AWAIT, END_LIMIT, HERE, TESTBED, check, finish, first_line, left_behind, read, run,
                      running_with, start)

ARGUMENTS = ["two words", "it's", '"double"', "new\nline", "", "$HOME `id` \\ *", "ÁÂÉ €"]

# In the guest, argument 1 is a folder to write to. The rest come back as they arrived there.
TOUR = AWAIT + r"""
out=$1; shift
printf '%s\0' "$@" >"$out/arguments"
cat >"$out/stdin"
pwd >"$out/folder"
ulimit -l >"$out/memlock"
echo "$ISTHMUS_SELFTEST/$SELFTEST_NAMED/$SELFTEST_GIVEN/$SELFTEST_OTHER" >"$out/environment"
echo "$ISTHMUS_TESTBED/$ISTHMUS_DEVICES/$ISTHMUS_ADDRESSES/$ISTHMUS_ADDRESSES_IPV6" >"$out/told"
echo "$ISTHMUS_ONE_CPU_JVM" >"$out/one-cpu-jvm"
cat /sys/devices/system/clocksource/clocksource0/current_clocksource >"$out/clock"
echo scratch >/tmp/selftest-scratch && echo scratch >>"$0.scratch" && echo yes >"$out/scratch"
for rxe in rxe0 rxe1; do
    echo "$rxe $(cat /sys/class/infiniband/$rxe/ports/1/state /sys/class/infiniband/$rxe/ports/1/gids/1)"
done >"$out/devices"
pingpong rxe0 10.0.0.1 rxe1
cat /sys/class/net/veth0/statistics/tx_packets >"$out/packets"
pingpong rxe0 10.0.0.1 rxe1 2
cat "$out/client" /sys/class/infiniband/rxe*/ports/1/gids/2 /sys/class/net/veth0/statistics/tx_packets >"$out/ipv6"
"$TESTBED" -- sh -c 'echo "nested $ISTHMUS_TESTBED"' >"$out/nested" 2>&1 </dev/null
unset ISTHMUS_DEVICES
"$TESTBED" -- sh -c 'echo "$ISTHMUS_TESTBED/$ISTHMUS_DEVICES/$ISTHMUS_ADDRESSES$ISTHMUS_ADDRESSES_IPV6"' \
    >"$out/hardware" 2>/dev/null </dev/null
"$TESTBED" --timeout 1 -- sleep 60 2>/dev/null </dev/null
echo $? >>"$out/hardware"
cat "$out/bytes"; cat "$out/bytes" >/dev/stderr
exit 7
"""

# In a guest without devices: Soft-RoCE on what is the host there. The state before and after must agree.
HOST_TOUR = AWAIT + r"""
out=$1
state() {
    ip -o link
    ip -4 route show table all
    ls /sys/class/infiniband
    cut -d' ' -f1 /proc/modules | sort
    grep -r . /proc/sys/net/ipv4/conf
} 2>/dev/null
host() { "$TESTBED" --where host --timeout 300 "$@"; } # not for the background: $! would be a shell
gone() { ! ls -d /sys/class/net/isthmus* >/dev/null 2>&1; }
opened() { ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q uverbs; }

state >"$out/before"
host -- sh -c 'echo "$ISTHMUS_TESTBED/$ISTHMUS_DEVICES/$ISTHMUS_ADDRESSES"; ibv_devinfo' >"$out/devinfo" 2>&1
state >"$out/after"

# From here on veth and rdma_rxe are loaded, and somebody else has a link and a device on it, which is not active.
# Unloading modules would take those, too; so the pair must be removed by itself.
modprobe -a veth rdma_rxe ib_uverbs rdma_ucm
ip link add other0 type veth peer name other1
rdma link add other type rxe netdev other0
state >"$out/before-loaded"
"$TESTBED" --where hardware -- true 2>"$out/inactive"; echo $? >>"$out/inactive"
"$TESTBED" --timeout 1 -- sleep 60 2>"$out/timeout"; echo $? >>"$out/timeout"
state >"$out/after-loaded"

# Two at the same instant; the second goes on when the first has ended.
cat >"$out/one-of-two" <<'END'
. "$2/functions"
out=$2
echo "$ISTHMUS_DEVICES" >"$out/$1.part" && mv "$out/$1.part" "$out/$1"
await [ -e "$out/first" ] && await [ -e "$out/second" ] || exit 1
[ "$1" = second ] || exit 0
await [ ! -e "/sys/class/infiniband/$(cut -d' ' -f1 "$out/first")" ] || exit 1
pingpong "${ISTHMUS_DEVICES% *}" "${ISTHMUS_ADDRESSES% *}" "${ISTHMUS_DEVICES#* }"
END
"$TESTBED" --where host --timeout 300 -- sh "$out/one-of-two" first "$out" 2>"$out/errors" &
first=$!
host -- sh "$out/one-of-two" second "$out" 2>>"$out/errors"
echo $? >"$out/both"
wait $first; echo $? >>"$out/both"
state >"$out/after-both"

# Killed, while something that left the command's process group has a device open.
"$TESTBED" --where host -- sh -c 'setsid -f ibv_rc_pingpong -d isthmus0 >/dev/null; echo >"$1/up"; exec sleep 600' \
    sh "$out" 2>/dev/null &
await [ -e "$out/up" ] && await opened && kill -9 $! && await gone && echo gone >"$out/killed"

# Killed together with the keeper: the next run cleans up.
rm "$out/up"
"$TESTBED" --where host -- sh -c 'echo >"$1/up"; exec sleep 600' sh "$out" 2>/dev/null &
await [ -e "$out/up" ]
read -r keeper others <"/proc/$!/task/$!/children"
kill -9 "$keeper" $!
gone || echo left >"$out/left"
"$TESTBED" --where host -- sh -c 'echo "$ISTHMUS_DEVICES" >>"$1/left"; echo >"$1/next"; exec sleep 600' sh "$out" \
    2>/dev/null &
await [ -e "$out/next" ]; kill -TERM $!; wait $!; echo $? >"$out/term"

# A step of the set-up that fails.
mkdir /tmp/refuse
printf '#!/bin/sh\necho "$*: refused" >&2\nexit 1\n' >/tmp/refuse/rdma
chmod +x /tmp/refuse/rdma
PATH=/tmp/refuse:$PATH "$TESTBED" --accel kvm -- true 2>"$out/fallen"; echo $? >>"$out/fallen"

host -- /no/such/program 2>/dev/null; echo $? >"$out/missing"
state >"$out/last"
kill -9 $$
"""

CLOCK_TOUR = """
cat /sys/devices/system/clocksource/clocksource0/current_clocksource
drift=$(($(date +%s) - $(cat /sys/class/rtc/rtc0/since_epoch)))
[ "${drift#-}" -gt 2 ] || echo right
"""


def check_tour():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/bytes", "wb") as file:
            file.write(ALL_BYTES)
        with open(f"{folder}/tour", "w", encoding="utf-8") as file:
            file.write(TOUR)
        tour = start("--rw", folder, "--memlock", "4096", "--",
                     "sh", f"{folder}/tour", folder, *ARGUMENTS, stdin=subprocess.PIPE, cwd=HERE)
        out, err = finish(tour, ALL_BYTES)
        check("exit status 7", tour.returncode == 7, f"{tour.returncode} {err[-2000:]!r}")
        check("stdout is byte for byte", out == ALL_BYTES, out)
        place, _, rest = err.partition(b"\n")
        check("stderr is byte for byte, after one line", rest == ALL_BYTES and b"QEMU" in place, err)
        check("arguments", read(folder, "arguments") == "".join(f"{a}\0" for a in ARGUMENTS).encode(),
              read(folder, "arguments"))
        check("stdin from a pipe", read(folder, "stdin") == ALL_BYTES, read(folder, "stdin"))
        check("working directory", read(folder, "folder").decode().strip() == HERE, read(folder, "folder"))
        check("--memlock", read(folder, "memlock") == b"4096\n", read(folder, "memlock"))
        check("selected environment", read(folder, "environment") == b"passed/named/given/\n",
              read(folder, "environment"))
        # The other one where a busy host made the kernel measure the counter wrongly.
        check("clock is the tsc", read(folder, "clock") in (b"tsc\n", b"acpi_pm\n") or os.uname().machine != "x86_64",
              read(folder, "clock"))
        check("guest can write anywhere", read(folder, "scratch") == b"yes\n", read(folder, "scratch"))
        check("host keeps none of it", not os.path.exists("/tmp/selftest-scratch"))
        check_devices(folder)
        told = b"vm/rxe0 rxe1/10.0.0.1 10.0.0.2/fd69:7374:686d::1 fd69:7374:686d::2\n"
        check("what the command is told", read(folder, "told") == told, read(folder, "told"))
        emulated = machine.accelerator("auto") == "tcg"
        check("a JVM is to keep to one processor where QEMU needs that",
              read(folder, "one-cpu-jvm") == (b"1\n" if emulated and machine.qemu_version() < (8, 1) else b"\n"),
              read(folder, "one-cpu-jvm"))
        hardware = read(folder, "hardware")
        check("hardware: what the command is told, timeout", hardware == b"hardware/rxe0 rxe1/\n124\n", hardware)
        check("nested run takes the guest's device", read(folder, "nested").endswith(b"\nnested vm\n")
              and b"this machine's RDMA device" in read(folder, "nested"), read(folder, "nested"))
        check("no process is left", not left_behind(tour.mark))


def check_devices(folder):
    lines = read(folder, "devices").decode().split()
    check("two ACTIVE devices with IPv4 GIDs", lines.count("ACTIVE") == 2
          and lines[-1].endswith("ffff:0a00:0002") and any(w.endswith("ffff:0a00:0001") for w in lines), lines)
    check("ibv_rc_pingpong, server", b"100 iters" in read(folder, "server"), read(folder, "server"))
    check("ibv_rc_pingpong, client", b"100 iters" in read(folder, "client"), read(folder, "client"))
    packets = read(folder, "packets")
    check("the traffic crosses the link", packets.strip().isdigit() and int(packets) > 400, packets)
    ipv6 = read(folder, "ipv6")
    check("IPv6 GIDs, with traffic across the link", b"100 iters" in ipv6 and b"fd69:7374:686d" in ipv6
          and ipv6.split()[-1].isdigit() and int(ipv6.split()[-1]) > int(packets or 0) + 400, ipv6)


def check_same(name, folder, before, after):
    old, new = (read(folder, file).splitlines() for file in (before, after))
    check(name, old == new, set(old) ^ set(new))


def check_host():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/functions", "w", encoding="utf-8") as file:
            file.write(AWAIT)
        tour = start("--no-devices", "--rw", folder, "--", "sh", "-c", HOST_TOUR, "sh", folder)
        _, err = finish(tour)
        check("exit status of a signal", tour.returncode == 137, f"{tour.returncode} {err[-2000:]!r}")
        devinfo = read(folder, "devinfo").decode()
        check("host: two ACTIVE devices", devinfo.count("PORT_ACTIVE") == 2, devinfo)
        check("host: what the command is told", "\nhost/isthmus0 isthmus1/198.18.0.1 198.18.0.2\n" in devinfo, devinfo)
        before = read(folder, "before")
        check("there is no pair", b"veth" not in before and b"rp_filter" in before, before)
        check_same("host: all is as before, and modules unloaded", folder, "before", "after")
        check_host_shared(folder)


def check_host_shared(folder):
    """With modules that were loaded before, and a device of somebody else's."""
    inactive, timeout = read(folder, "inactive"), read(folder, "timeout")
    check("hardware: a port that is not active is an error", inactive.endswith(b"active port\n125\n"), inactive)
    check("auto: it goes on to the host, and says so", b"made on this machine (no RDMA device" in timeout, timeout)
    check("host: timeout", timeout.endswith(b"\n124\n"), timeout)
    before = read(folder, "before-loaded")
    check("there is a foreign link", b"other0" in before and b"\nveth\n" in before and b"isthmus" not in before, before)
    for moment, name in (("one run", "after-loaded"), ("two runs", "after-both"), ("all that failed", "last")):
        check_same(f"host, modules loaded before: all is as before {moment}", folder, "before-loaded", name)
    names = read(folder, "first").split() + read(folder, "second").split()
    check("two runs at an instant have devices of their own", len(set(names)) == 4, names)
    both, client = read(folder, "both"), read(folder, "client")
    check("one goes on when the other ends", both == b"0\n0\n" and b"100 iters" in client,
          both + read(folder, "errors") + client)
    check("killed: the keeper removes the devices, and who has one open", read(folder, "killed") == b"gone\n",
          read(folder, "killed"))
    check("killed with the keeper: the next run removes them", read(folder, "left") == b"left\nisthmus0 isthmus1\n",
          read(folder, "left"))
    fallen = read(folder, "fallen")
    check("auto: a refused link: it goes on to the vm, and says so", fallen.startswith(b"testbed: in QEMU")
          and b": refused)\n" in fallen and fallen.endswith(b"\n125\n"), fallen)
    check("host: SIGTERM", read(folder, "term") == b"143\n", read(folder, "term"))
    check("host: no such program", read(folder, "missing") == b"127\n", read(folder, "missing"))


def check_signals():
    """Two guests at a time, which also proves that runs do not meet."""
    for pair in ((signal.SIGINT, signal.SIGTERM), (signal.SIGHUP, signal.SIGKILL)):
        # Under nohup we ignore SIGHUP, and so would they. The one to be killed must, as it would there.
        running = [start("--no-devices", "--", "sh", "-c", "echo up; exec sleep 1000", prefix=(
            "env", f"--{'ignore' if number == signal.SIGKILL else 'default'}-signal=HUP")) for number in pair]
        for process, number in zip(running, pair):
            up = first_line(process)
            check(f"{number.name} finds the guest running", up == b"up\n" and running_with(process.mark), up)
            if number == signal.SIGKILL:
                check("SIGHUP that nohup has ignored stays ignored", ignored(process.pid) >> signal.SIGHUP - 1 & 1)
            process.send_signal(number)
            _, err = finish(process, seconds=END_LIMIT)
            expected = -9 if number == signal.SIGKILL else 128 + number
            check(f"{number.name} ends the run", process.returncode == expected, f"{process.returncode} {err}")
            check(f"{number.name} leaves no process", not left_behind(process.mark))


def ignored(pid):
    """Returns the signals that a process ignores, a bit each."""
    return int(re.search(rb"^SigIgn:\s*(\w+)", read(f"/proc/{pid}/status"), re.MULTILINE)[1], 16)


def check_root():
    """Files that are not this machine's, as far as one machine can have them: its own, by another name."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = os.geteuid() == 0 and run("mount", "--bind", "/", folder)[0] == 0
        check("--root: files elsewhere", mounted, "only root can mount them there")
        try:
            tour = start("--no-devices", "--root", folder, "--rw", HERE, "--", "sh", "-c",
                         'uname -r; pwd; echo "$ISTHMUS_SELFTEST/$HOME"', cwd=HERE)
            out, err = finish(tour)
        finally:
            run("umount", folder)
        kernel = guest.newest_kernel("/")[1]
        check("--root: its kernel, its environment", out == f"{kernel}\n{HERE}\npassed//\n".encode(), f"{out} {err}")
        check("--root: where it runs is told", f"on the files of {folder}".encode() in err, err)
    refused = run(TESTBED, "--root", HERE, "--", "true")
    check("--root: a folder without a kernel", refused[0] == 2 and b"lib/modules" in refused[2], refused)


def check_clock():
    if os.uname().machine == "x86_64":
        tour = start("--no-devices", "--append", "tsc_early_khz=100000", "--", "sh", "-c", CLOCK_TOUR)
        out, err = finish(tour)
        check("a clock that is measured wrongly is not taken", out == b"acpi_pm\nright\n", f"{out} {err[-500:]!r}")


def check_ends():
    check_clock()
    slow = start("--no-devices", "--timeout", "9", "--", "sleep", "1000")
    closed = run("sh", "-c", 'exec "$0" --quiet --where vm --own-guest -- true <&- >&- 2>&-', TESTBED)
    check("exit status 0, standard streams closed", closed[0] == 0, closed)
    _, err = finish(slow)
    check("timeout gives 124", slow.returncode == 124 and b"timed out after 9 s" in err, err)
    check("timeout leaves no process", not left_behind(slow.mark))
    broken = start("--append", "init=/none rdinit=/none", "--", "true")
    _, err = finish(broken)
    check("a guest that does not boot shows its console", broken.returncode == 125 and b"panic" in err, err)
    bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    refused = run(*bare, TESTBED, "--where", "host", "--", "true")
    check("host: without rights is an error", refused[0] == 125 and b"no right" in refused[2], refused)
    for wrong in (["--bogus", "--", "true"], ["true"], ["--timeout", "never", "--", "true"], []):
        refused = run(TESTBED, *wrong)
        check(f"exit status 2 for {wrong}", refused[0] == 2 and b"--" in refused[2], refused)
