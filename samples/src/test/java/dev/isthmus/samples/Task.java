// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Something that runs on a thread of its own, and may throw. */
interface Task {

    void run() throws Exception;

    static Future<Void> start(Task task) {
        var future = new FutureTask<Void>(() -> {
            task.run();
            return null;
        });
        Thread.ofPlatform().daemon().start(future);
        return future;
    }
}
