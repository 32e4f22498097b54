// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

/** What the parts of one transport share. They are complete before the first part is made. */
record TransportContext(
        Settings settings,
        BlockSource source,
        TransportLog log,
        Figures figures,
        TransportTasks tasks,
        TransportMemory memory,
        NodeConnector connector) {}
