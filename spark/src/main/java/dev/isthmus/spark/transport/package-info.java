/**
 * Fetches blocks of files from peers, and serves those of this process: over UCX, or by RDMA READ out of the files. It
 * knows nothing of Spark. docs/spark.md describes the messages, and who owns what.
 *
 * <p>Start with {@link dev.isthmus.spark.transport.Transport}, or {@link dev.isthmus.spark.transport.VerbsTransport}, which
 * executors do not use yet. The other public types are their arguments and results.
 */
package dev.isthmus.spark.transport;
