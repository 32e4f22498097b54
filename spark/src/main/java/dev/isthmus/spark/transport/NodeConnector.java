// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.UcxException;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Connects a transport's worker to other nodes. Confined to the transport's thread. */
final class NodeConnector {

    static final int ID = 0x5348; // of the active messages
    private static final Pattern LANE = Pattern.compile("lane\\[\\d+\\]:\\s+\\d+:([\\w/:.-]+)");

    private final UcpWorker worker;
    private final byte[] secret;
    private final Node node;

    /** The node is this process's own. */
    NodeConnector(UcpWorker worker, byte[] secret, Node node) {
        this.worker = worker;
        this.secret = secret;
        this.node = node;
    }

    /** Where peers reach this transport. */
    Node node() {
        return node;
    }

    UcpEndpoint connect(Node other, Consumer<UcsStatus> failed) {
        return worker.createEndpoint(
                other.open(secret),
                config ->
                        config.errorHandling(UcpErrorHandling.PEER).errorHandler((_, status) -> failed.accept(status)));
    }

    CompletableFuture<Void> send(UcpEndpoint endpoint, MemorySegment message) {
        try {
            return endpoint.amSendAsync(ID, MemorySegment.NULL, message, UcpActiveMessages.EAGER);
        } catch (UcxException | IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The UCX transports of a connection, each with its device. */
    static List<String> lanes(UcpEndpoint endpoint) {
        return names(LANE, endpoint.info());
    }

    /** What a pattern's group finds in one of UCX's texts. */
    static List<String> names(Pattern pattern, String info) {
        return pattern.matcher(info)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
    }
}
