// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import java.util.List;

/** How executors get blocks from each other. */
enum ShuffleWay {
    /** By Spark's own transfer. */
    SPARK("Spark"),
    /** Over UCX. */
    UCX("UCX");

    private final String title;

    ShuffleWay(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** As {@code KEY=VALUE}. */
    List<String> settings() {
        return switch (this) {
            case SPARK -> List.of("spark.shuffle.manager=sort");
            case UCX ->
                List.of(
                        "spark.shuffle.manager=dev.isthmus.spark.UcxShuffleManager",
                        "spark.plugins=dev.isthmus.spark.UcxShufflePlugin");
        };
    }
}
