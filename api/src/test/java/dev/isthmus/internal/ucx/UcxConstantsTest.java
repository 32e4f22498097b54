// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.ucx.UcpContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcxConstantsTest {

    // A UCX that is newer than the bindings has other values for them: see UcpAbiTest.
    private static final List<String> OTHER_IN_EACH_RELEASE = List.of(
            "UCP_API_MINOR",
            "UCP_API_VERSION",
            "UCS_MEMORY_TYPE_LAST",
            "UCS_MEMORY_TYPE_UNKNOWN",
            "UCS_MEMORY_TYPES_CPU_ACCESSIBLE");

    @Test
    void shouldUseNoConstantThatIsAnotherInEachRelease() throws Exception {
        Path classes = Path.of(UcpContext.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> uses = new ArrayList<>();
        boolean anyConstant = false;
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                String code = code(file);
                anyConstant |= code.contains("UCP_PARAM_FIELD_FEATURES");
                OTHER_IN_EACH_RELEASE.stream().filter(code::contains).forEach(name -> uses.add(file + ": " + name));
            }
        }
        assertEquals(List.of(), uses);
        assertTrue(anyConstant, "constants are not found by name");
    }

    // Names of methods, as the bindings have a constant, stand in a class file as they are.
    private static String code(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
}
