// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.UcxException;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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
    private final MessageSeal seal;

    /** The node is this process's own. */
    NodeConnector(UcpWorker worker, byte[] secret, Node node, boolean sealing) {
        this.worker = worker;
        this.secret = secret;
        this.node = node;
        this.seal = sealing ? MessageSeal.of(node.id(), secret) : MessageSeal.none();
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

    /** Sends a message of that length to a node. Behind it, the memory has room for a seal. */
    CompletableFuture<Void> send(UcpEndpoint endpoint, Node to, MemorySegment message, int length) {
        try {
            int sealed = seal.seal(message, length, to.id());
            return endpoint.amSendAsync(ID, MemorySegment.NULL, message.asSlice(0, sealed), UcpActiveMessages.EAGER);
        } catch (UcxException | IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A message that has arrived, without its seal. */
    ByteBuffer open(ByteBuffer message) {
        return seal.open(message);
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
