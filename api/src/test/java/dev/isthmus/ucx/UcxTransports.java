// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The transports to test on: values of UCX's option TLS, separated by semicolons, in the environment variable
 * ISTHMUS_UCX_TLS. In the testbed that is {@code rc_verbs,ud_verbs,self}.
 */
final class UcxTransports {

    /** Only a failing test reaches it. */
    static final long DEADLINE_SECONDS = Long.getLong("isthmus.ucx.deadlineSeconds", TestDeadlines.seconds(120));

    private static final String DEFAULT = "posix,self;sysv,self;tcp,self";

    private UcxTransports() {}

    /** All of them. */
    static Stream<String> all() {
        return list().stream();
    }

    /** One of them, for what does not depend on the transport. */
    static String any() {
        return list().getFirst();
    }

    /** Those whose endpoints can report that a peer died. */
    static Stream<String> withPeerErrors() {
        return all().filter(tls -> !tls.startsWith("posix") && !tls.startsWith("sysv"));
    }

    /**
     * Where a server of the tests listens: on an address of the RDMA device in the testbed, otherwise on the
     * loopback address.
     */
    static InetSocketAddress listenAddress() {
        String devices = System.getenv("UCX_NET_DEVICES");
        try {
            if (devices == null || !devices.contains(":")) {
                return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
            }
            Path attributes = Path.of("/sys/class/infiniband", devices.replaceFirst(":.*", ""), "ports/1/gid_attrs");
            String network = Files.readString(attributes.resolve("ndevs/1")).strip();
            InetAddress address = NetworkInterface.getByName(network)
                    .inetAddresses()
                    .filter(Inet4Address.class::isInstance)
                    .findFirst()
                    .orElseThrow();
            return new InetSocketAddress(address, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls what advances it until the condition holds; fails if that takes too long. */
    static void until(BooleanSupplier so, Runnable advance) {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            advance.run();
            if (System.nanoTime() - begin > DEADLINE_SECONDS * 1_000_000_000L) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s");
            }
        }
    }

    private static List<String> list() {
        String chosen = System.getenv("ISTHMUS_UCX_TLS");
        return List.of((chosen == null || chosen.isEmpty() ? DEFAULT : chosen).split(";", -1));
    }
}
