// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("device")
class FileTransferTest {

    @TempDir
    private Path folder;

    private Path received;

    @BeforeEach
    void makeFolder() throws IOException {
        received = Files.createDirectory(folder.resolve("received"));
    }

    private interface Sender {
        void send(InetSocketAddress receiver) throws Exception;
    }

    /** Makes a receiver take one file; returns what it prints. */
    private String receive(Sender sender) throws Exception {
        try (Listener listener = FileReceiver.listen(new InetSocketAddress(DeviceAddress.last(), 0))) {
            InetSocketAddress at = listener.localAddress();
            Future<Void> sending = Task.start(() -> sender.send(at));
            String said = FileReceiver.receive(listener, received);
            sending.get();
            return said;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private List<Path> receivedFiles() throws IOException {
        try (Stream<Path> files = Files.list(received)) {
            return files.toList();
        }
    }

    private Path file(int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return Files.write(folder.resolve("file"), bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, FileReceiver.PIECE, 5 * FileReceiver.PIECE + 17})
    void shouldReplaceTheFile(int length) throws Exception {
        Path file = file(length);
        Path old = Files.writeString(received.resolve("file"), "what was there");
        List<String> bar = Output.of(() -> assertEquals("received file", receive(at -> send(file, at))));
        assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(old));
        assertEquals(List.of(old), receivedFiles());
        assertEquals("[" + "#".repeat(40) + "] 100%", bar.getLast());
    }

    private static void send(Path file, InetSocketAddress receiver) throws Exception {
        FileSender.main(file.toString(), receiver.getHostString(), "" + receiver.getPort());
    }

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        SamplesPage.Command command = SamplesPage.command("FileSender");
        Path file = Files.move(file(1), folder.resolve(command.arguments().getFirst()));
        List<String> printed = Output.of(() -> System.out.println(receive(at -> send(file, at))));
        // Each state of the bar replaces the one before.
        List<String> shown =
                printed.stream().filter(line -> line.matches("[a-z].*|.*100%")).toList();
        SamplesPage.assertPrint(shown, "FileReceiver", "FileSender");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "../file", "/tmp/file", ".hidden", "a\0b", "a\\b", "a\nb"})
    void shouldRefuseNamesThatLeaveTheFolder(String name) throws Exception {
        Path file = file(1);
        String said = receive(at -> {
            var e = assertThrows(IOException.class, () -> FileSender.send(file, name, at));
            assertTrue(e.getMessage().contains("not to have this name"), e.getMessage());
        });
        assertEquals("refused: a file is not to have this name", said);
        assertEquals(List.of(), receivedFiles());
    }

    @Test
    void shouldNotTellTheSenderOfFilesThatStandInTheWay() throws Exception {
        Path file = file(1);
        Path inside = Files.writeString(
                Files.createDirectory(received.resolve("file")).resolve("inside"), "x");
        String said = receive(at -> {
            var e = assertThrows(IOException.class, () -> FileSender.send(file, "file", at));
            assertEquals("the receiver refuses: the file cannot be stored", e.getMessage());
        });
        assertTrue(said.startsWith("not stored: ") && said.contains(received.toString()), said);
        assertEquals(List.of(inside.getParent()), receivedFiles());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldRefuseLengthsThatCannotBe(long length) throws Exception {
        receive(at -> {
            try (var sender = FileSender.connect(at)) {
                var e = assertThrows(IOException.class, () -> sender.offer("file", length));
                assertTrue(e.getMessage().contains("no room for " + length), e.getMessage());
            }
        });
        assertEquals(List.of(), receivedFiles());
    }

    @Test
    void shouldKeepTheOldFileWhenTheSumIsWrong() throws Exception {
        Path old = Files.writeString(received.resolve("file"), "what was there");
        String said = receive(at -> {
            try (var sender = FileSender.connect(at)) {
                sender.offer("file", 0);
                var e = assertThrows(IOException.class, () -> sender.end(new byte[32]));
                assertTrue(e.getMessage().contains("checksum"), e.getMessage());
            }
        });
        assertEquals("refused: the checksum is wrong", said);
        assertEquals("what was there", Files.readString(old));
        assertEquals(List.of(old), receivedFiles());
    }

    /** What a peer that is no sender does, at once or after a proper offer. */
    enum Oddity {
        NOTHING_IN_A_MESSAGE(false, "", "refused: a message that makes no sense"),
        END_BEFORE_OFFER(false, "\2" + "0".repeat(32), "refused: a message that makes no sense"),
        UNKNOWN_KIND(false, "\77" + "0".repeat(32), "refused: a message that makes no sense"),
        LONG_MESSAGE(false, "x".repeat(FileReceiver.MESSAGE + 1), "refused: the connection is broken: "),
        OTHER_PIECE(true, "\2".repeat(33), "refused: not piece 0 of the file");

        final boolean isOffered;
        final String message;
        final String said;

        Oddity(boolean isOffered, String message, String said) {
            this.isOffered = isOffered;
            this.message = message;
            this.said = said;
        }

        List<String> messages() {
            return isOffered ? List.of("\1\0\0\0\0\0\0\0\5file", message) : List.of(message);
        }
    }

    @ParameterizedTest
    @EnumSource(Oddity.class)
    void shouldRefuseWhatMakesNoSense(Oddity oddity) throws Exception {
        String said = receive(at -> {
            try (var connection = Connector.connect(at, FileReceiver.DEADLINE)) {
                var memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE);
                var done = WorkCompletions.allocate(1);
                for (String message : oddity.messages()) {
                    byte[] bytes = message.getBytes(StandardCharsets.ISO_8859_1);
                    memory.segment().asByteBuffer().put(0, bytes);
                    connection
                            .queuePair()
                            .post(ReceiveRequest.prepare(memory.region()).range(2048, 256));
                    connection
                            .queuePair()
                            .post(SendRequest.prepare(memory.region()).range(0, bytes.length));
                    assertEquals(1, connection.await(done, FileReceiver.DEADLINE)); // the answer
                }
            }
        });
        assertTrue(said.startsWith(oddity.said), said);
        assertEquals(List.of(), receivedFiles());
    }

    @Test
    void shouldKeepTheOldFileWhenTheSenderGoes() throws Exception {
        Path old = Files.writeString(received.resolve("file"), "what was there");
        String said = receive(at -> {
            try (var sender = FileSender.connect(at)) {
                sender.offer("file", 100_000);
            }
        });
        assertTrue(
                said.startsWith("refused: the connection is broken") || said.startsWith("the sender has gone"), said);
        assertEquals("what was there", Files.readString(old));
        assertEquals(List.of(old), receivedFiles());
    }
}
