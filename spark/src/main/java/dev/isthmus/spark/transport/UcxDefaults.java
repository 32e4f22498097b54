// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.ucx.UcpContextConfig;
import dev.isthmus.ucx.UcxVersion;
import java.util.List;
import java.util.Map;

/** UCX's options where neither the user nor the environment sets them. */
final class UcxDefaults {

    private static final Map<String, String> OF_ALL = Map.of(
            // Rather than 20 s: over shared memory nothing else reveals a dead peer.
            "KEEPALIVE_INTERVAL",
            "1s",
            // A get copies by itself only out of memory of the connection's own transport; out of other memory, the
            // peer sends it in messages of 8 KiB, a few for each turn of both loops. Connections prefer posix, and
            // UCX's default, which is the same otherwise, takes sysv first.
            "ALLOC_PRIO",
            "md:posix,md:sysv,huge,thp,md:*,mmap,heap",
            // No message is so long. From 1.20 on, UCX lets a get over shared memory copy by itself only if there is no
            // rendezvous, for whose sake it wants memory whose registration can be withdrawn
            // (ucp_wireup_add_rma_bw_lanes).
            "RNDV_THRESH",
            "inf");

    // Over TCP a part comes in segments, each of which costs both sides a call of the kernel. Segments of 8 KiB, which
    // is UCX's default, take more than twice the processor time. None may be longer than what the receiver expects.
    private static final List<String> SEGMENTS = List.of("TX_SEG_SIZE", "RX_SEG_SIZE");
    private static final String SEGMENT_BYTES = "128k";
    private static final int NAMES_OF_TRANSPORTS = 17; // until then, UCX takes options without the transport's name

    // The newer protocols are the default from 1.16 on, and until 1.20 they want such memory for every get.
    private static final int NEWER_PROTOCOLS = 16;
    private static final int NEWER_PROTOCOLS_THAT_GET = 20;

    private UcxDefaults() {}

    static void set(UcpContextConfig config) {
        OF_ALL.forEach((name, value) -> set(config, name, value));
        int minor = UcxVersion.loaded().minor();
        if (minor >= NEWER_PROTOCOLS && minor < NEWER_PROTOCOLS_THAT_GET) {
            set(config, "PROTO_ENABLE", "n");
        }
        if (SEGMENTS.stream().allMatch(name -> System.getenv("UCX_TCP_" + name) == null)) {
            SEGMENTS.forEach(name -> config.set(minor < NAMES_OF_TRANSPORTS ? name : "TCP_" + name, SEGMENT_BYTES));
        }
    }

    private static void set(UcpContextConfig config, String name, String value) {
        if (System.getenv("UCX_" + name) == null) {
            config.set(name, value);
        }
    }
}
