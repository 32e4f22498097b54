/**
 * A shuffle manager for Apache Spark whose executors fetch shuffle blocks from each other over UCX: by RDMA, shared
 * memory or TCP. docs/spark.md says how to enable it, and when Spark's own transfer is used instead.
 *
 * <p>Spark has no public interface for this: the classes here use internals of Spark that 4.2 and 4.3
 * have alike, and work with no other version.
 */
package dev.isthmus.spark;
