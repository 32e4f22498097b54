package dev.isthmus.perf.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.Main;
import dev.isthmus.testbed.OtherProcessor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short run of the comparison; how long things take is for the long one to tell. */
@Tag("device")
@Timeout(480)
class DataPathDeviceTest {

    /** A post enters the kernel, in Java as in C. */
    private static final double POST_LIMIT = 3;

    /** The other calls do not, and are over in less than a microsecond: half compiled, Java is far behind there. */
    private static final double LIMIT = 100;

    /** In a JVM of its own: that of the tests compiles less, and has seen other callers. */
    private static List<String> rows() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("perf", "datapath", "--rounds", "2", "--warm-up", "1000"));
        Process process = new ProcessBuilder(OtherProcessor.of(command))
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), output);
            return output.lines().skip(1).toList();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldCompareEachOperationWithC() throws Exception {
        List<String> rows = rows();
        DataPathOperation[] operations = DataPathOperation.values();
        assertEquals(operations.length, rows.size(), rows.toString());
        for (int i = 0; i < operations.length; i++) {
            String row = rows.get(i);
            assertTrue(row.startsWith(operations[i].title()), row);
            String[] figures =
                    row.substring(operations[i].title().length()).strip().split(" +", -1);
            double c = Double.parseDouble(figures[0]);
            double java = Double.parseDouble(figures[1]);
            double ratio = Double.parseDouble(figures[2]);
            boolean post = operations[i] == DataPathOperation.POST || operations[i] == DataPathOperation.CHAIN;
            assertTrue(c > 0 && java > 0, row);
            assertEquals(java / c, ratio, ratio / 100, row);
            assertTrue(ratio < (post ? POST_LIMIT : LIMIT), row);
            assertEquals("0.00", figures[3], row);
        }
    }
}
