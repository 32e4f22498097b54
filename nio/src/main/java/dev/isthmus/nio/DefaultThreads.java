// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The threads of the default group, as set by the system properties that
 * {@link java.nio.channels.AsynchronousChannelGroup} names.
 */
final class DefaultThreads {

    private static final String FACTORY = "java.nio.channels.DefaultThreadPool.threadFactory";
    private static final String SIZE = "java.nio.channels.DefaultThreadPool.initialSize";

    private DefaultThreads() {}

    /** Starts the initial threads; others are started on demand. */
    static ExecutorService open() {
        var threads = (ThreadPoolExecutor) Executors.newCachedThreadPool(factory());
        threads.setCorePoolSize(size());
        threads.prestartAllCoreThreads();
        return threads;
    }

    private static ThreadFactory factory() {
        String name = System.getProperty(FACTORY);
        if (name == null) {
            return Thread.ofPlatform().daemon().name("isthmus-handler-", 0).factory();
        }
        try {
            return Class.forName(name, true, ClassLoader.getSystemClassLoader())
                    .asSubclass(ThreadFactory.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException(
                    "system property " + FACTORY + ": \"" + name
                            + "\" is not the name of a public ThreadFactory with a public constructor of no arguments",
                    e);
        }
    }

    private static int size() {
        String size = System.getProperty(SIZE, "0");
        if (!size.matches("[0-9]{1,6}")) {
            throw new IllegalArgumentException(
                    "system property " + SIZE + ": \"" + size + "\" is not a number of threads");
        }
        return Integer.parseInt(size);
    }
}
