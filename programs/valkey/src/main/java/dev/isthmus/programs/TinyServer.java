// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A server of sockets of java.net that knows SET, GET and PING, for clients that others wrote. */
final class TinyServer {

    private static final int MAX_WORDS = 16;
    private static final int MAX_BYTES = 1 << 20;

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();

    void serve(String host, int port) throws IOException {
        try (var listener = new ServerSocket(port, 50, InetAddress.getByName(host))) {
            System.out.println("listening");
            while (true) {
                Socket one = listener.accept();
                Thread.ofPlatform().daemon().start(() -> serve(one));
            }
        }
    }

    private void serve(Socket one) {
        try (one) {
            var in = new BufferedInputStream(one.getInputStream());
            var out = new BufferedOutputStream(one.getOutputStream());
            while (true) {
                byte[][] words = new byte[number(in, '*', MAX_WORDS)][];
                for (int i = 0; i < words.length; i++) {
                    words[i] = in.readNBytes(number(in, '$', MAX_BYTES));
                    line(in);
                }
                answer(words, out);
                if (in.available() == 0) {
                    out.flush();
                }
            }
        } catch (EOFException e) {
            assert e != null; // the client has closed its socket
        } catch (IOException e) {
            System.out.println(e);
        }
    }

    private static int number(InputStream in, char kind, int most) throws IOException {
        String line = line(in);
        if (line.isEmpty() || line.charAt(0) != kind) {
            throw new IOException("not understood: " + line);
        }
        int number = Integer.parseInt(line.substring(1));
        if (number < 0 || number > most) {
            throw new IOException("out of range: " + line);
        }
        return number;
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    private void answer(byte[][] words, OutputStream out) throws IOException {
        switch (new String(words[0], UTF_8).toUpperCase(Locale.ROOT)) {
            case "PING" -> out.write("+PONG\r\n".getBytes(UTF_8));
            case "SET" -> {
                values.put(new String(words[1], UTF_8), words[2]);
                out.write("+OK\r\n".getBytes(UTF_8));
            }
            case "GET" -> {
                byte[] value = values.get(new String(words[1], UTF_8));
                out.write(("$" + (value == null ? -1 : value.length) + "\r\n").getBytes(UTF_8));
                if (value != null) {
                    out.write(value);
                    out.write("\r\n".getBytes(UTF_8));
                }
            }
            default -> out.write("-ERR unknown command\r\n".getBytes(UTF_8));
        }
    }
}
