// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class LifetimeTest {

    private final Lifetime parent = new Lifetime("Parent", "p");

    @Test
    void shouldNameItsChildrenWhenItCannotClose() {
        var children = new Lifetime[] {
            new Lifetime("Region", "a", parent), new Lifetime("Region", "b", parent), new Lifetime("Queue", "c", parent)
        };
        var e = assertThrows(IllegalStateException.class, () -> parent.close(() -> {}));
        assertEquals("Parent(p) cannot be closed yet: close first its 1 Queue, 2 Region", e.getMessage());
        for (Lifetime child : children) {
            child.close(() -> {});
        }
        parent.close(() -> {});
        assertFalse(parent.isOpen());
    }

    @Test
    void shouldCloseOnceAndTryAgainAfterFailure() {
        var destroyed = new AtomicInteger();
        assertThrows(
                ArithmeticException.class,
                () -> parent.close(() -> {
                    throw new ArithmeticException();
                }));
        assertTrue(parent.isOpen());
        parent.close(destroyed::incrementAndGet);
        parent.close(destroyed::incrementAndGet);
        assertEquals(1, destroyed.get());
    }

    @Test
    void shouldRefuseChildrenOnceClosed() {
        var other = new Lifetime("Other", "o");
        parent.close(() -> {});
        assertThrows(IllegalStateException.class, () -> new Lifetime("Child", "c", other, parent));
        other.close(() -> {}); // the child that was not born does not hold it
    }

    @Test
    void shouldDestroyWhatNoObjectStandsFor() {
        var child = new Lifetime("Child", "c", parent);
        var destroyed = new AtomicInteger();
        assertThrows(
                ArithmeticException.class,
                () -> child.open(() -> Lifetime.orDestroy(
                        () -> {
                            throw new ArithmeticException();
                        },
                        destroyed::incrementAndGet)));
        assertEquals(1, destroyed.get());
        parent.close(() -> {}); // which nothing holds any more
    }

    @Test
    void shouldTellWhyNoObjectStandsForWhatCannotBeDestroyedEither() {
        var why = assertThrows(
                ArithmeticException.class,
                () -> Lifetime.orDestroy(
                        () -> {
                            throw new ArithmeticException();
                        },
                        () -> {
                            throw new IllegalStateException("busy");
                        }));
        assertEquals("busy", why.getSuppressed()[0].getMessage());
    }

    @Test
    void shouldLetParentsGoWhenCreationFails() {
        var child = new Lifetime("Child", "c", parent);
        assertThrows(
                ArithmeticException.class,
                () -> child.open(() -> {
                    throw new ArithmeticException();
                }));
        parent.close(() -> {});
    }

    @Test
    void shouldNotCloseDuringCall() {
        try (var call = new NativeCall(parent)) {
            assertEquals(8, call.allocate(8).byteSize());
            assertThrows(IllegalStateException.class, () -> parent.close(() -> {}));
        }
        parent.close(() -> {});
        assertThrows(IllegalStateException.class, () -> new NativeCall(parent));
    }
}
