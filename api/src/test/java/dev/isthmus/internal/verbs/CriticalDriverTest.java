// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CriticalDriverTest {

    @Test
    void shouldKnowADriverByItsSharedObject() {
        Optional<CriticalDriver> rxe = Optional.of(CriticalDriver.RXE);
        assertEquals(rxe, CriticalDriver.ofFile("/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so"));
        assertEquals(rxe, CriticalDriver.ofFile("/usr/lib64/libibverbs/librxe-rdmav57.so"));
        assertEquals(rxe, CriticalDriver.ofFile("librxe-rdmav34.so"));
        assertEquals(Optional.of(CriticalDriver.SIW), CriticalDriver.ofFile("/opt/libsiw-rdmav34.so"));
    }

    @Test
    void shouldKnowNothingOfOthers() {
        for (String other : new String[] {
            "/usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so",
            "/usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so/librxe",
            "/usr/lib/libibverbs.so.1",
            "/opt/libtracerxe-rdmav34.so",
            "/opt/librxe-rdmav34.so.orig",
            "/opt/librxe.so",
            ""
        }) {
            assertEquals(Optional.empty(), CriticalDriver.ofFile(other), other);
        }
    }

    @Test
    void shouldGoByWhereTheFunctionIs() {
        assertEquals(
                Optional.empty(), CriticalDriver.of(IbverbsLibrary.require().symbol("ibv_get_device_name")));
        try (Arena arena = Arena.ofConfined()) { // as of code that was made at run time
            assertEquals(Optional.empty(), CriticalDriver.of(arena.allocate(64)));
        }
    }
}
