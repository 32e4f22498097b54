// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.RdmaException;
import dev.isthmus.spark.transport.BlockSource;
import dev.isthmus.spark.transport.Settings;
import dev.isthmus.spark.transport.VerbsTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Verbs in an executor, which reads other executors' files where they lie. */
final class VerbsExecutor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(VerbsExecutor.class);

    private final VerbsTransport transport;
    private final VerbsSettings settings;
    private final String host;
    private final String address;

    private VerbsExecutor(VerbsTransport transport, VerbsSettings settings, String host, InetAddress address) {
        this.transport = transport;
        this.settings = settings;
        this.host = host;
        this.address = address.getHostAddress();
    }

    /**
     * Starts on the device whose address the settings name, or else on the first that has an address of this host. Empty
     * if there is none, or it does not work: the log says so, and everything uses UCX.
     *
     * @param host as Spark calls it
     */
    static Optional<VerbsExecutor> start(
            VerbsSettings settings,
            Settings ofTransport,
            String host,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> log) {
        if (settings.use() == VerbsSettings.Use.NEVER) {
            return Optional.empty();
        }
        String last = "this host has no address but loopback";
        try {
            for (InetAddress address : addresses(settings, host)) {
                try {
                    var transport =
                            VerbsTransport.start(ofTransport, address, settings.fileBytes(), secret, source, log);
                    LOG.info("Files of other executors are read over verbs, from {}", address.getHostAddress());
                    return Optional.of(new VerbsExecutor(transport, settings, host, address));
                } catch (RdmaException e) { // not the address of a device, or one that cannot be used
                    last = e.getMessage();
                }
            }
        } catch (IOException e) {
            last = e.toString();
        }
        if (settings.use() == VerbsSettings.Use.ALWAYS || !settings.address().isEmpty()) {
            LOG.warn("No file is read over verbs: {}", last);
        } else {
            LOG.info("No file is read over verbs: {}", last);
        }
        return Optional.empty();
    }

    private static Set<InetAddress> addresses(VerbsSettings settings, String host) throws IOException {
        if (!settings.address().isEmpty()) {
            return Set.of(InetAddress.getByName(settings.address()));
        }
        var addresses = new LinkedHashSet<InetAddress>();
        addresses.add(InetAddress.getByName(host));
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .forEach(addresses::add);
        addresses.removeIf(address -> address.isLoopbackAddress() || address.isLinkLocalAddress());
        return addresses;
    }

    /** Whether files of an executor of that host, as Spark calls it, are read over verbs, if it has a device, too. */
    boolean isFor(String hostOfOther) {
        return settings.isUsed(host.equals(hostOfOther));
    }

    VerbsTransport transport() {
        return transport;
    }

    /** The address of the device. */
    String address() {
        return address;
    }

    @Override
    public void close() {
        transport.close();
    }
}
