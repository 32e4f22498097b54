# SPDX-License-Identifier: Apache-2.0
"""The state of the guest's links and RDMA devices, asked of the kernel itself: programs start slowly here."""

import glob
import socket
import struct

DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
DONE, ERROR = 3, 2

# What a command may not leave changed: the request (linux/rtnetlink.h), the size of its answers' header, and the
# attributes that change by themselves: counters and times.
LINKS = (18, 16, {7, 23, 35, 47, 48})  # IFLA_STATS, _STATS64, _CARRIER_CHANGES, _CARRIER_UP_COUNT, _CARRIER_DOWN_COUNT
ADDRESSES = (22, 8, {6})  # IFA_CACHEINFO
ROUTES = (26, 12, {12})  # RTA_CACHEINFO
RULES = (34, 12, set())
QUEUES = (38, 20, {3, 4, 7})  # TCA_STATS, _XSTATS, _STATS2

AF_SPEC, AF_INET, AF_INET6, INET6_CONF = 26, 2, 10, 2  # a link's settings, among its counters of IPv6

# What holds for all links, and for those to come, as far as anybody here changes it.
SETTINGS = ["/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding",
            *(f"/proc/sys/net/ipv4/conf/{which}/{name}"
              for which in ("all", "default") for name in ("accept_local", "rp_filter"))]


def state():
    """Returns what can be compared with what it was at another time."""
    found = {request[0]: _dump(*request) for request in (LINKS, ADDRESSES, ROUTES, RULES, QUEUES)}
    for path in SETTINGS:
        found[path] = _read(path)
    for port in glob.glob("/sys/class/infiniband/*/ports/*"):
        # The GIDs of a link-local, an IPv4 and an IPv6 address, and what may have come to them.
        found[port] = [_read(path) for path in (f"{port}/state", *(f"{port}/gids/{n}" for n in range(6)))]
    return found


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has gone, or is a GID that nobody has taken
        return b""


def _dump(request, size, volatile):
    """Returns all answers to a request: their headers, and the attributes that are not volatile."""
    answers = []
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        netlink.sendall(struct.pack("=IHHII", 16 + size, request, DUMP, 1, 0) + bytes(size))
        while True:
            data = netlink.recv(1 << 17)
            while data:
                length, kind = struct.unpack_from("=IH", data)
                if kind in (DONE, ERROR):
                    return sorted(answers)
                attributes = _attributes(data[16 + size:length])
                answers.append((data[16:16 + size], sorted(
                    (kind, _settings(value) if request == LINKS[0] and kind == AF_SPEC else value)
                    for kind, value in attributes if kind not in volatile)))
                data = data[(length + 3) & ~3:]


def _settings(data):
    families = dict(_attributes(data))
    return families.get(AF_INET, b"") + dict(_attributes(families.get(AF_INET6, b""))).get(INET6_CONF, b"")


def _attributes(data):
    while data:
        length, kind = struct.unpack_from("=HH", data)
        yield kind & 0x3FFF, data[4:length]  # without the flags NLA_F_NESTED and NLA_F_NET_BYTEORDER
        data = data[(length + 3) & ~3:]
