package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
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
        var e = assertThrows(RdmaUnavailableException.class, () -> c.function("fclose_newer", CLOSE));
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
    void shouldRefuseCallWithAnotherSignature() {
        NativeFunction chdir = NativeLibrary.load("libc.so.6", "glibc", "libc6").function("chdir", CLOSE);
        try (var call = new NativeCall()) {
            assertThrows(AssertionError.class, () -> call.pointer(chdir, MemorySegment.NULL));
        }
    }
}
