// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_gid_entry;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Queries of the GIDs of an open device's ports. Any thread may use it. */
final class GidQueries {

    private final String name;
    private final MemorySegment handle;
    private final DeviceQueries device;
    private final Lifetime lifetime;

    GidQueries(String name, MemorySegment handle, DeviceQueries device, Lifetime lifetime) {
        this.name = name;
        this.handle = handle;
        this.device = device;
        this.lifetime = lifetime;
    }

    List<GidEntry> table(int port) {
        device.checkPort(port);
        int room = 0;
        for (int p = 1; p <= device.attributes().physPortCount(); p++) {
            room += device.port(p).gidTableLength();
        }
        return table(port, room);
    }

    /** The entries of a port, read together with those of all ports. EINVAL if they exceed the room. */
    List<GidEntry> table(int port, int room) {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment entries = call.allocate(ibv_gid_entry.layout(), Math.max(1, room));
            long count =
                    call.integer64(Libibverbs.QUERY_GID_TABLE, handle, entries, (long) room, 0, ibv_gid_entry.sizeof());
            if (count < 0) {
                throw call.failure(Libibverbs.QUERY_GID_TABLE, name, (int) -count);
            }
            var table = new ArrayList<GidEntry>();
            for (long i = 0; i < count; i++) {
                GidEntry entry = GidEntry.read(ibv_gid_entry.asSlice(entries, i));
                if (entry.port() == port) {
                    table.add(entry);
                }
            }
            table.sort(Comparator.comparingInt(GidEntry::index));
            return List.copyOf(table);
        }
    }

    GidEntry entry(int port, int index) {
        device.checkPort(port);
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment entry = call.allocate(ibv_gid_entry.layout());
            int errno = call.integer(Libibverbs.QUERY_GID_EX, handle, port, index, entry, 0, ibv_gid_entry.sizeof());
            if (errno == 0) {
                return GidEntry.read(entry);
            }
            // ENODATA: the entry is empty. EINVAL: it is beyond the table, as the port exists.
            if (errno != Errno.ENODATA && errno != Errno.EINVAL) {
                throw call.failure(Libibverbs.QUERY_GID_EX, name + ", " + port + ", " + index, errno);
            }
        }
        throw new IllegalArgumentException(
                "no GID at index " + index + " of " + name + " port " + port + "; there are: " + describe(table(port)));
    }

    Gid raw(int port, int index) {
        int length = device.port(port).gidTableLength();
        if (index < 0 || index >= length) {
            throw new IllegalArgumentException(
                    "no index " + index + " in the GID table of " + name + " port " + port + ": it has " + length);
        }
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment gid = call.allocate(Gid.BYTES, Long.BYTES);
            call.checkErrno(Libibverbs.QUERY_GID, name + ", " + port + ", " + index, handle, (byte) port, index, gid);
            return Gid.of(gid.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    GidEntry preferred(int port) {
        List<GidEntry> table = byPreference(port);
        return firstInThisNamespace(table).orElseThrow(() -> none(port, table));
    }

    /** A GID for what does not leave the device: one of another namespace if this one has none. */
    GidEntry any(int port) {
        List<GidEntry> table = byPreference(port);
        return firstInThisNamespace(table).or(() -> table.stream().findFirst()).orElseThrow(() -> none(port, table));
    }

    private List<GidEntry> byPreference(int port) {
        return table(port).stream()
                .sorted(Comparator.comparingInt(GidQueries::preference).thenComparingInt(GidEntry::index))
                .toList();
    }

    private static Optional<GidEntry> firstInThisNamespace(List<GidEntry> table) {
        return table.stream().filter(GidEntry::isInThisNamespace).findFirst();
    }

    private IllegalArgumentException none(int port, List<GidEntry> table) {
        String where = " on " + name + " port " + port;
        return new IllegalArgumentException(
                table.isEmpty()
                        ? "no GID" + where + ": does the network device have an address?"
                        : "no GID of this network namespace" + where + ", only those of others, such as the host's: "
                                + describe(table) + ". Give this namespace a network device on that port, or use the"
                                + " host's namespace");
    }

    private static int preference(GidEntry entry) {
        if (entry.type() != GidType.ROCE_V2) {
            return 3;
        }
        if (entry.gid().isIpv4Mapped()) {
            return 0;
        }
        return entry.gid().toInetAddress().isLinkLocalAddress() ? 2 : 1;
    }

    private static String describe(List<GidEntry> table) {
        return table.isEmpty()
                ? "none (does the network device have an address?)"
                : table.stream()
                        .map(entry -> entry.index() + " (" + entry.type() + " " + entry.gid() + ")")
                        .collect(Collectors.joining(", "));
    }
}
