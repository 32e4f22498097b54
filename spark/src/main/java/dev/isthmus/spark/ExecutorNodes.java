// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.spark.transport.Node;
import java.util.List;
import java.util.Optional;

/**
 * Where other executors reach one.
 *
 * @param ucx over UCX
 * @param verbs over verbs; empty if it has no RDMA device, or does not use it
 */
record ExecutorNodes(Node ucx, Optional<Node> verbs) {

    /** As words, for messages. */
    List<String> words() {
        return verbs.map(node -> List.of(id(ucx), ucx.address(), id(node), node.address()))
                .orElse(List.of(id(ucx), ucx.address()));
    }

    private static String id(Node node) {
        return Long.toString(node.id());
    }

    /** Reads words; empty if they are not those of nodes. */
    static Optional<ExecutorNodes> of(Object words) {
        return words instanceof List<?> list && (list.size() == 2 || list.size() == 4)
                ? Optional.of(new ExecutorNodes(
                        node(list, 0), list.size() == 4 ? Optional.of(node(list, 2)) : Optional.empty()))
                : Optional.empty();
    }

    private static Node node(List<?> words, int at) {
        return new Node(Long.parseLong((String) words.get(at)), (String) words.get(at + 1));
    }
}
