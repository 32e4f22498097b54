// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.ucx.UcxConfigKeys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * UCX's connection managers, which connect by socket address: {@code rdmacm} and {@code tcp}. UCX uses those that its
 * option SOCKADDR_TLS_PRIORITY names. If it can open none of them, connecting and listening end the process
 * (docs/ucx-faults.md).
 */
final class ConnectionManagers {

    private static final String OPTION = "SOCKADDR_TLS_PRIORITY";
    private static final String ALL = "*";
    private static final String TCP = "tcp"; // a part of libuct, which needs nothing
    private static final String RDMA_CM = "rdmacm"; // a module of UCX, which needs the device below
    private static final String KEYS_OF_RDMA_CM = "RDMA_CM_";
    private static final Path DEVICE = Path.of("/dev/infiniband/rdma_cm");

    private ConnectionManagers() {}

    /**
     * What SOCKADDR_TLS_PRIORITY is, if UCX can use nothing of it on this machine.
     *
     * @param config a context's options and their values, as UCX prints them
     * @return the option's value; empty if UCX can use something
     */
    static String unusable(String config) {
        String begin = "UCX_" + OPTION + "=";
        String value = config.lines()
                .filter(line -> line.startsWith(begin))
                .map(line -> line.substring(begin.length()))
                .findFirst()
                .orElse(ALL);
        List<String> names = List.of(value.split(",", -1));
        boolean usable = names.contains(ALL) || names.contains(TCP) || (names.contains(RDMA_CM) && hasRdmaCm());
        return usable ? "" : value;
    }

    private static boolean hasRdmaCm() {
        return Files.isReadable(DEVICE)
                && Files.isWritable(DEVICE)
                && UcxConfigKeys.known().stream().anyMatch(key -> key.startsWith(KEYS_OF_RDMA_CM));
    }

    /** Refuses a call by socket address that UCX cannot do. */
    static void check(UcpContext context, String call, Object object) {
        String unusable = context.unusableConnectionManagers();
        if (!unusable.isEmpty()) {
            int status = UcsStatus.UNSUPPORTED.code();
            throw new UcxException(
                    call,
                    object.toString(),
                    status,
                    UcsStatus.describe(status),
                    OPTION + "=" + unusable + " names nothing that UCX can use here: tcp always works, and rdmacm with "
                            + DEVICE + " and UCX's module for it");
        }
    }
}
