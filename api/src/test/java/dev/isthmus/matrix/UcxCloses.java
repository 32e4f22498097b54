// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Whether a close that the cell has begun is going on: its call has not returned, or its future has not ended. */
final class UcxCloses {

    private final List<CompletableFuture<?>> begun = new ArrayList<>();
    private int calls;

    void add(CompletableFuture<?> close) {
        begun.add(close);
    }

    void during(Runnable call) {
        calls++;
        try {
            call.run();
        } finally {
            calls--;
        }
    }

    boolean areGoingOn() {
        return calls > 0 || !begun.stream().allMatch(CompletableFuture::isDone);
    }
}
