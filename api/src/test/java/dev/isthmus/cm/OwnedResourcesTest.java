// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class OwnedResourcesTest {

    private final OwnedResources owned = new OwnedResources();
    private final List<String> closed = new ArrayList<>();

    @Test
    void shouldCloseTheLastOneFirst() {
        owned.add(() -> closed.add("first"));
        owned.add(() -> closed.add("last"));
        owned.close();
        owned.close();
        assertEquals(List.of("last", "first"), closed);
    }

    @Test
    void shouldCloseEachOnceThoughACloseAddsAnother() {
        owned.add(() -> closed.add("first"));
        owned.add(() -> {
            closed.add("last");
            owned.add(() -> closed.add("added"));
        });
        owned.close();
        assertEquals(List.of("last", "added", "first"), closed);
    }

    @Test
    void shouldCloseEachOnceThoughACloseClosesTheRest() {
        owned.add(() -> closed.add("first"));
        owned.add(() -> {
            closed.add("last");
            owned.close();
        });
        owned.close();
        assertEquals(List.of("last", "first"), closed);
    }

    @Test
    void shouldTryAgainWhatCouldNotBeClosed() {
        int[] failures = {2};
        owned.add(() -> closed.add("first"));
        owned.add(() -> {
            if (failures[0]-- == 2) {
                throw new IOException("checked");
            } else if (failures[0] == 0) {
                throw new IllegalStateException("unchecked");
            }
            closed.add("last");
        });
        assertEquals(
                "checked",
                assertThrows(IllegalStateException.class, owned::close)
                        .getCause()
                        .getMessage());
        assertEquals(
                "unchecked",
                assertThrows(IllegalStateException.class, owned::close).getMessage());
        assertEquals(List.of(), closed);
        owned.close();
        assertEquals(List.of("last", "first"), closed);
    }
}
