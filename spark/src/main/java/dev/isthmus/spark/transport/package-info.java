/**
 * Fetches blocks of files from peers over UCX, and serves those of this process. It knows nothing of Spark.
 * docs/spark.md describes the messages, and who owns what.
 *
 * <p>Start with {@link dev.isthmus.spark.transport.Transport}. The other public types are its arguments and results.
 */
package dev.isthmus.spark.transport;
