// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** A program for Spark that cancels a job whose tasks have read some of their blocks. */
public final class CancelProgram {

    private CancelProgram() {}

    /**
     * Runs it; prints what executors held of blocks meanwhile, and in the end.
     *
     * @param args how many records, and how long their values are
     */
    public static void main(String... args) throws Exception {
        try (var spark = new JavaSparkContext(new SparkConf().setAppName("CancelProgram"));
                var middle = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            ShuffleProgram.awaitExecutors(spark, 2);
            var reads = ShuffleProgram.Reads.of(spark);
            spark.setLocalProperty("spark.job.interruptOnCancel", "true");
            JavaPairRDD<Integer, byte[]> pairs =
                    ShuffleProgram.pairs(spark, Integer.parseInt(args[0]), Integer.parseInt(args[1]));
            ShuffleProgram.print("before", ShuffleProgram.spread(pairs, 0));
            int port = middle.getLocalPort();
            JavaFutureAction<Void> job = pairs.partitionBy(new HashPartitioner(4))
                    .foreachPartitionAsync(values -> {
                        var _ = values.hasNext(); // the first block has come
                        waitForCancel(port);
                    });
            long held = 0;
            for (int i = 0; i < 2; i++) { // an executor has one core
                try (Socket task = middle.accept()) {
                    held += task.getInputStream().read();
                }
            }
            ShuffleProgram.print("held", held);
            ShuffleProgram.print("cancelled", job.cancel(true));
            awaitNothingHeld(spark);
            ShuffleProgram.print("after", ShuffleProgram.spread(pairs, 0));
            awaitNothingHeld(spark);
            ShuffleProgram.printFigures(spark, reads);
        }
    }

    /** Reports how many slices the executor has in use, 255 at most, and waits until the task is killed. */
    private static void waitForCancel(int port) throws IOException, InterruptedException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            long slices = ShuffleProgram.figureHere("slicesOut");
            socket.getOutputStream().write((int) Math.min(255, slices));
        }
        new CountDownLatch(1).await();
    }

    private static void awaitNothingHeld(JavaSparkContext spark) throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + 100_000_000_000L;
        Map<String, Long> figures = ShuffleProgram.figures(spark);
        while (figures.get("slicesOut") + figures.get("unpooledBytes") > 0 && System.nanoTime() < end) {
            Thread.sleep(50);
            figures = ShuffleProgram.figures(spark);
        }
    }
}
