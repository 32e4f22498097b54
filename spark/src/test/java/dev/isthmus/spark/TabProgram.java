// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** A program for Spark that shuffles, and prints the page of UCX from its own web UI once it shows both executors. */
public final class TabProgram {

    private static final long LIMIT_NANOS = 60_000_000_000L;
    private static final int LOOK_MILLIS = 200;

    private TabProgram() {}

    /**
     * Runs it.
     *
     * @param args {@code stay} if it is to go on until it is ended
     */
    public static void main(String... args) throws IOException, InterruptedException {
        try (var spark = new JavaSparkContext(new SparkConf().setAppName("<b>TabProgram</b>"))) {
            var numbers = IntStream.range(0, 2000).boxed().toList();
            long groups = spark.parallelize(numbers, 8)
                    .mapToPair(i -> new Tuple2<>(i % 100, new byte[i * 10]))
                    .groupByKey(4)
                    .count();
            System.out.println("RESULT groups=" + groups);
            String url = spark.sc().uiWebUrl().get();
            System.out.println("RESULT tabs=" + get(url + "/jobs/").contains("href=\"/ucx/\""));
            System.out.println("RESULT page=" + page(url + "/ucx/").replace("\n", " "));
            if (args.length > 0) {
                System.out.println("the page stays at " + url + "/ucx/");
                Thread.currentThread().join();
            }
        }
    }

    /** Executors report to the driver a little later. */
    private static String page(String url) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            String page = get(url);
            if (page.split("posix/memory", -1).length > 2 || System.nanoTime() - end > 0) {
                return page;
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private static String get(String url) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(url + " answers " + answer.statusCode() + ": " + answer.body());
            }
            return answer.body();
        }
    }
}
