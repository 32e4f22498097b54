// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("device")
@Tag("connectx")
class NioBuffersTest {

    @TempDir
    private Path folder;

    @Test
    void shouldPrintTheFileFromTheOtherBuffer() throws IOException {
        Path file = Files.writeString(folder.resolve("text"), "123456789");
        // The sum of these nine digits is the check value in the catalogues of CRCs.
        assertEquals(
                List.of("9 bytes, CRC-32C e3069283", "123456789"), Output.of(() -> NioBuffers.main(file.toString())));
    }

    @Test
    void shouldPrintWhatThePageShows() throws IOException {
        List<String> output = SamplesPage.command("NioBuffers").output();
        String text = String.join("\n", output.subList(1, output.size())) + "\n";
        Path file = Files.writeString(folder.resolve("text"), text);
        assertEquals(output, Output.of(() -> NioBuffers.main(file.toString())));
    }

    @Test
    void shouldRefuseAFileThatIsTooLong() throws IOException {
        Path file = Files.write(folder.resolve("long"), new byte[(1 << 20) + 1]);
        assertThrows(IOException.class, () -> NioBuffers.main(file.toString()));
    }
}
