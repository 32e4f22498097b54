// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A connection to Valkey on a socket of java.net, which sends and reads Valkey's protocol and nothing else. */
final class RawConnection implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    RawConnection(String host, int port) throws IOException {
        socket = new Socket(host, port);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
    }

    /** Sends a command, and reads its reply. */
    String call(String... words) throws IOException {
        send(words);
        flush();
        return reply();
    }

    /** Buffers a command. */
    void send(String... words) throws IOException {
        words(words.length, words);
    }

    /** Begins a command whose last word follows by {@link #out}, and then {@link #endWord}. */
    void begin(int lastLength, String... words) throws IOException {
        words(words.length + 1, words);
        beginWord(lastLength);
    }

    /** Buffers a command of so many words, or its first ones. */
    private void words(int count, String... words) throws IOException {
        out.write(("*" + count + "\r\n").getBytes(ISO_8859_1));
        for (String word : words) {
            beginWord(word.length());
            out.write(word.getBytes(ISO_8859_1));
            endWord();
        }
    }

    private void beginWord(int length) throws IOException {
        out.write(("$" + length + "\r\n").getBytes(ISO_8859_1));
    }

    void endWord() throws IOException {
        out.write("\r\n".getBytes(ISO_8859_1));
    }

    OutputStream out() {
        return out;
    }

    InputStream in() {
        return in;
    }

    void flush() throws IOException {
        out.flush();
    }

    /** The next reply as it came, without its line ends: an array in brackets. */
    String reply() throws IOException {
        String line = line();
        return switch (line.charAt(0)) {
            case '$' -> line.equals("$-1") ? line : word(Integer.parseInt(line.substring(1)));
            case '*' -> line.equals("*-1") ? line : replies(Integer.parseInt(line.substring(1)));
            default -> line;
        };
    }

    private String word(int length) throws IOException {
        String word = new String(in.readNBytes(length), ISO_8859_1);
        line();
        return word;
    }

    private String replies(int count) throws IOException {
        var all = new StringBuilder("[");
        for (int i = 0; i < count; i++) {
            all.append(i == 0 ? "" : ", ").append(reply());
        }
        return all.append(']').toString();
    }

    /** The next line, without its end. */
    String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has closed the connection");
            }
            line.append((char) next);
        }
        if (in.read() != '\n') {
            throw new IOException("a line ends in the middle: " + line);
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
