/**
 * {@code isthmus spark}: Spark's own shuffle beside the one over UCX, alternately on one cluster. This package has
 * processes and figures only; the code that runs in Spark is in the modules {@code spark} and {@code spark/trial}.
 */
package dev.isthmus.perf.bench.spark;
