// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/** Lets the driver forget executors that are gone, so that an application in which they come and go does not grow. */
final class RemovedExecutors extends SparkListener {

    private final Directory.Master directory;
    private final ExecutorReports reports;

    RemovedExecutors(Directory.Master directory, ExecutorReports reports) {
        this.directory = directory;
        this.reports = reports;
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        directory.remove(removed.executorId());
        reports.gone(removed.executorId());
    }
}
