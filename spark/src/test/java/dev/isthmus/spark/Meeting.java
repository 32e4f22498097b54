// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Where tasks of two executors meet, in the program's own process. When there are two, the second executor is killed, as by
 * {@code kill -9}; when it is gone, the tasks of the first go on.
 */
final class Meeting implements AutoCloseable {

    private static final int GO_ON = 0;

    private final ServerSocket server; // null if there is no meeting

    private Meeting(ServerSocket server) {
        this.server = server;
    }

    static Meeting none() {
        return new Meeting(null);
    }

    static Meeting open() throws IOException {
        var meeting = new Meeting(new ServerSocket(0, 16, InetAddress.getLoopbackAddress()));
        Thread.ofPlatform().daemon().start(meeting::run);
        return meeting;
    }

    /** 0 if there is no meeting. */
    int port() {
        return server == null ? 0 : server.getLocalPort();
    }

    private void run() {
        var waiting = new ArrayList<Socket>();
        String first = "";
        String ended = "";
        try {
            while (true) {
                Socket task = server.accept();
                var says = new DataInputStream(task.getInputStream());
                String executor = says.readUTF();
                long process = says.readLong();
                first = first.isEmpty() ? executor : first;
                if (executor.equals(first)) {
                    waiting.add(task);
                } else if (ended.isEmpty()) {
                    ended = executor;
                    boolean killed = ProcessHandle.of(process).orElseThrow().destroyForcibly();
                    if (!killed) {
                        throw new IOException("executor " + executor + " cannot be killed");
                    }
                    int none = task.getInputStream().read(); // until the dead process has no socket
                    task.close();
                    release(waiting, none);
                } else {
                    release(List.of(task), -1);
                }
                if (!ended.isEmpty()) {
                    release(waiting, -1);
                }
            }
        } catch (IOException e) {
            if (!server.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void release(List<Socket> tasks, int none) throws IOException {
        if (none != -1) {
            throw new IOException("an executor that was killed wrote " + none);
        }
        for (Socket task : tasks) {
            if (!task.isClosed()) {
                task.getOutputStream().write(GO_ON);
                task.close();
            }
        }
    }

    /** Called by a task. */
    static void attend(int port, String executor) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            var says = new DataOutputStream(socket.getOutputStream());
            says.writeUTF(executor);
            says.writeLong(ProcessHandle.current().pid());
            if (socket.getInputStream().read() != GO_ON) {
                throw new IOException("nobody came");
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
    }
}
