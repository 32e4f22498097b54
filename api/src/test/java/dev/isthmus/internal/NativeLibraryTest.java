// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class NativeLibraryTest {

    private static final FunctionDescriptor CLOSE = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS);

    @Test
    void shouldSayWhatToInstallWhenLibraryIsMissing() {
        var e = assertThrows(
                RdmaUnavailableException.class,
                () -> NativeLibrary.load("libnowhere.so.1", "nowhere-core", "libnowhere1"));
        assertTrue(e.getMessage().contains("libnowhere.so.1") && e.getMessage().contains("install libnowhere1"));
    }

    @Test
    void shouldSayThatLibraryIsTooOldForFunction() {
        NativeLibrary c = NativeLibrary.load("libc.so.6", "glibc", "libc6");
        NativeFunction newer = c.function("fclose_newer", CLOSE); // affects only code that calls it
        RdmaUnavailableException e;
        try (var call = new NativeCall()) {
            e = assertThrows(RdmaUnavailableException.class, () -> call.integer(newer, MemorySegment.NULL));
        }
        assertTrue(e.getMessage().contains("libc.so.6 has no fclose_newer"), e.getMessage());
        assertTrue(e.getMessage().contains("upgrade glibc"), e.getMessage());
        assertFalse(c.optionalFunction("fclose_newer", CLOSE).isPresent());
    }

    @Test
    void shouldCaptureErrno() {
        NativeLibrary c = NativeLibrary.load("libc.so.6", "glibc", "libc6");
        NativeFunction chdir = c.function("chdir", CLOSE);
        try (var call = new NativeCall()) {
            MemorySegment path = call.allocateFrom("/nowhere");
            assertEquals(-1, call.integer(chdir, path));
            assertEquals("ENOENT (2)", Errno.describe(call.errno()));
        }
    }

    @Test
    void shouldPassOnThatAnArenaIsClosed() {
        NativeFunction chdir = NativeLibrary.load("libc.so.6", "glibc", "libc6").function("chdir", CLOSE);
        Arena closed = Arena.ofConfined();
        MemorySegment path = closed.allocateFrom("/nowhere");
        closed.close();
        try (var call = new NativeCall()) {
            assertThrows(IllegalStateException.class, () -> call.integer(chdir, path));
        }
    }

    @Test
    void shouldRefuseCallWithAnotherSignature() {
        NativeFunction chdir = NativeLibrary.load("libc.so.6", "glibc", "libc6").function("chdir", CLOSE);
        try (var call = new NativeCall()) {
            assertThrows(AssertionError.class, () -> call.pointer(chdir, MemorySegment.NULL));
        }
    }
}
