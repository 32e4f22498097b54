// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.xrc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.Features;
import dev.isthmus.verbs.SharedReceiveQueueType;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("device")
@Tag("connectx")
class XrcDomainTest {

    @TempDir
    Path folder;

    @Test
    void shouldOpenAndCloseAPrivateDomain() {
        try (var context = Device.first().open()) {
            if (!Features.hasXrc(context)) {
                throw Features.unsupported("ibv_open_xrcd", context.device().name(), () -> XrcDomain.open(context));
            }
            var domain = XrcDomain.open(context);
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
                        () -> XrcDomain.open(context, folder, XrcDomain.OpenOption.CREATE));
            }
            var e = assertThrows(VerbsException.class, () -> XrcDomain.open(context, folder));
            assertTrue(e.getMessage().contains("open it with CREATE"), e.getMessage());
            try (var first = XrcDomain.open(context, folder, XrcDomain.OpenOption.CREATE);
                    var second = XrcDomain.open(context, folder)) {
                assertEquals(context, first.context());
                assertEquals(context, second.context());
                e = assertThrows(
                        VerbsException.class,
                        () -> XrcDomain.open(
                                context, folder, XrcDomain.OpenOption.CREATE, XrcDomain.OpenOption.EXCLUSIVE));
                assertTrue(e.getMessage().contains("has a domain already"), e.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseWrongFilesAndOptionsBeforeTheCall() {
        try (var context = Device.first().open()) {
            var missing = folder.resolve("missing");
            var e = assertThrows(UncheckedIOException.class, () -> XrcDomain.open(context, missing));
            assertTrue(e.getMessage().contains("cannot open " + missing + ": ENOENT (2)"), e.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> XrcDomain.open(context, folder, XrcDomain.OpenOption.EXCLUSIVE));
        }
        var closed = Device.first().open();
        closed.close();
        assertThrows(IllegalStateException.class, () -> XrcDomain.open(closed));
    }

    @Test
    void shouldHaveSharedReceiveQueuesWithNumbers() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = context.createCompletionQueue(64)) {
            if (!Features.hasXrc(context)) {
                throw Features.unsupported("ibv_open_xrcd", context.device().name(), () -> XrcDomain.open(context));
            }
            try (var domain = XrcDomain.open(context);
                    var queue = domain.createSharedReceiveQueue(pd, cq, config -> config.maxWr(16))) {
                assertEquals(SharedReceiveQueueType.XRC, queue.type());
                assertTrue(queue.srqNum() > 0);
                assertThrows(IllegalStateException.class, domain::close);
                assertThrows(
                        IllegalArgumentException.class,
                        () -> domain.createSharedReceiveQueue(pd, cq, config -> config.tagMatching(cq, 1, 1)));
            }
        }
    }
}
