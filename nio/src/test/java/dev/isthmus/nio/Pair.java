// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Two connected sockets, over the link. */
final class Pair implements AutoCloseable {

    final RdmaServerSocketChannel listener = RdmaServerSocketChannel.open();
    final RdmaSocketChannel client;
    final RdmaSocketChannel server;
    private volatile Thread started;

    private Pair() throws IOException {
        listener.bind(new InetSocketAddress(Hosts.far(), 0));
        client = RdmaSocketChannel.open(listener.getLocalAddress());
        server = listener.accept();
    }

    static Pair connected() throws IOException {
        return new Pair();
    }

    /** Runs something on a thread of its own. */
    <T> CompletableFuture<T> async(Callable<T> task) {
        var result = new CompletableFuture<T>();
        started = Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    /** Waits until the thread that was started last is in C, where it waits for the channel. */
    void awaitWaiting() {
        while (true) {
            for (StackTraceElement frame : started.getStackTrace()) {
                if (frame.getMethodName().equals("poll") && frame.getClassName().endsWith("Posix")) {
                    return;
                }
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        listener.close();
    }
}
