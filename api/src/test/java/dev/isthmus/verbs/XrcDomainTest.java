package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("device")
class XrcDomainTest {

    @TempDir
    Path folder;

    @Test
    void shouldOpenAndCloseAPrivateDomain() {
        try (var context = Device.first().open()) {
            if (!Features.hasXrc(context)) {
                throw Features.unsupported("ibv_open_xrcd", context.device().name(), context::openXrcDomain);
            }
            var domain = context.openXrcDomain();
            assertThrows(IllegalStateException.class, context::close);
            domain.close();
            domain.close();
        }
    }

    @Test
    void shouldShareTheDomainOfAFile() {
        try (var context = Device.first().open()) {
            if (!Features.hasXrc(context)) {
                throw Features.unsupported(
                        "ibv_open_xrcd",
                        context.device().name() + ", " + folder + ", [CREATE]",
                        () -> context.openXrcDomain(folder, XrcDomain.OpenOption.CREATE));
            }
            var e = assertThrows(VerbsException.class, () -> context.openXrcDomain(folder));
            assertTrue(e.getMessage().contains("open it with CREATE"), e.getMessage());
            try (var first = context.openXrcDomain(folder, XrcDomain.OpenOption.CREATE);
                    var second = context.openXrcDomain(folder)) {
                assertEquals(context, first.context());
                assertEquals(context, second.context());
                e = assertThrows(
                        VerbsException.class,
                        () -> context.openXrcDomain(
                                folder, XrcDomain.OpenOption.CREATE, XrcDomain.OpenOption.EXCLUSIVE));
                assertTrue(e.getMessage().contains("has a domain already"), e.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseWrongFilesAndOptionsBeforeTheCall() {
        try (var context = Device.first().open()) {
            var missing = folder.resolve("missing");
            var e = assertThrows(UncheckedIOException.class, () -> context.openXrcDomain(missing));
            assertTrue(e.getMessage().contains("cannot open " + missing + ": ENOENT (2)"), e.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.openXrcDomain(folder, XrcDomain.OpenOption.EXCLUSIVE));
        }
        var closed = Device.first().open();
        closed.close();
        assertThrows(IllegalStateException.class, closed::openXrcDomain);
    }
}
