// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(value = 2, tcp = true)
class PointToPointOverTcpTest extends PointToPointTest {

    private static final String LOOPBACK = "0100007F:";
    private static final String ESTABLISHED = "01";

    /** A connection from 127.0.0.1 to 127.0.0.1 that is this process's own. */
    @Test
    void shouldHaveAConnection() throws IOException {
        Communicator world = RanksMain.world();
        int other = 1 - RanksMain.rank();
        world.sendrecv(ints(1), other, 0, ints(0), other, 0);
        assertNotEquals(Set.of(), connections());
    }

    private static Set<String> connections() throws IOException {
        var sockets = new HashSet<String>();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : open.toList()) {
                if (Files.isSymbolicLink(each)) { // the list's own is closed by now
                    sockets.add(Files.readSymbolicLink(each).toString());
                }
            }
        }
        var found = new HashSet<String>();
        for (String line : Files.readAllLines(Path.of("/proc/self/net/tcp"))) {
            List<String> words = List.of(line.strip().split(" +", -1));
            if (words.get(1).startsWith(LOOPBACK)
                    && words.get(2).startsWith(LOOPBACK)
                    && words.get(3).equals(ESTABLISHED)
                    && sockets.contains("socket:[" + words.get(9) + "]")) {
                found.add(line);
            }
        }
        return found;
    }
}
