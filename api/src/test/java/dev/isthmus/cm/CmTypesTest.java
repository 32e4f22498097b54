// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException.Failure;
import dev.isthmus.bindings.ibverbs.rdma_cma_h;
import dev.isthmus.internal.cm.CmErrors;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CmTypesTest {

    @Test
    void shouldHaveTheCodesOfTheHeader() throws ReflectiveOperationException {
        for (CmEventType type : CmEventType.values()) {
            if (type != CmEventType.UNKNOWN) {
                assertEquals(constant("RDMA_CM_EVENT_" + type), type.code());
                assertEquals(type, CmEventType.of(type.code()));
                assertEquals("RDMA_CM_EVENT_" + type, type.description());
            }
        }
        for (PortSpace space : PortSpace.values()) {
            if (space != PortSpace.UNKNOWN) {
                assertEquals(constant("RDMA_PS_" + space), space.code());
                assertEquals(space, PortSpace.of(space.code()));
            }
        }
        assertEquals(CmEventType.UNKNOWN, CmEventType.of(4711));
        assertEquals(PortSpace.UNKNOWN, PortSpace.of(-3));
    }

    private static int constant(String name) throws ReflectiveOperationException {
        return (int) rdma_cma_h.class.getMethod(name).invoke(null);
    }

    @Test
    void shouldNameReasonsOfBothTransports() {
        for (RejectReason reason : RejectReason.values()) {
            assertEquals(reason, RejectReason.of(reason.code()));
        }
        assertEquals(RejectReason.CONSUMER_DEFINED, RejectReason.of(28));
        assertEquals(RejectReason.CONNECTION_REFUSED, RejectReason.of(-111));
        assertEquals(RejectReason.UNKNOWN, RejectReason.of(4711));
    }

    @Test
    void shouldKeepPrivateDataAsItWas() {
        byte[] bytes = {1, 2, 3};
        PrivateData data = PrivateData.of(bytes);
        bytes[0] = 9;
        data.bytes()[1] = 9;
        assertEquals(PrivateData.of(new byte[] {1, 2, 3}), data);
        assertNotEquals(PrivateData.NONE, data);
        assertEquals("grüße", PrivateData.of("grüße").text());
        assertEquals("a", PrivateData.of(new byte[] {'a', 0, 'b'}).text());
        assertFalse(PrivateData.of("secret").toString().contains("secret"));
        assertThrows(IllegalArgumentException.class, () -> PrivateData.of(new byte[256]));
    }

    @Test
    void shouldRefuseValuesThatAreOutOfRange() {
        var config = new ConnectionConfig();
        assertThrows(IllegalArgumentException.class, () -> config.retryCount(8));
        assertThrows(IllegalArgumentException.class, () -> config.rnrRetryCount(-1));
        assertThrows(IllegalArgumentException.class, () -> config.responderResources(255));
        assertThrows(IllegalArgumentException.class, () -> config.initiatorDepth(-1));
        assertThrows(IllegalArgumentException.class, () -> config.queuePair(1 << 24, false));
        assertThrows(NullPointerException.class, () -> config.privateData(null));
    }

    @Test
    void shouldNameFailuresByTheirErrorNumber() {
        assertEquals(Failure.ADDRESS_IN_USE, CmErrors.failureOf(98));
        assertEquals(Failure.NO_DEVICE, CmErrors.failureOf(19));
        assertEquals(Failure.NO_DEVICE, CmErrors.failureOf(99));
        assertEquals(Failure.UNREACHABLE, CmErrors.failureOf(110));
        assertEquals(Failure.REJECTED, CmErrors.failureOf(111));
        assertEquals(Failure.OTHER, CmErrors.failureOf(22));
        var e = CmErrors.ofCall("rdma_bind_addr", "x", 98, "");
        assertEquals("rdma_bind_addr", e.call());
        assertEquals("EADDRINUSE", e.errnoName());
        assertEquals(0, e.status());
        assertEquals(0, e.privateData().length);
        assertTrue(e.getMessage().startsWith("rdma_bind_addr(x): EADDRINUSE (98): "), e.getMessage());
    }

    /** Prints whether librdmacm is among the files that this process has mapped, once verbs are in use. */
    static final class VerbsOnly {
        public static void main(String[] arguments) throws IOException {
            try {
                Device.list();
            } catch (dev.isthmus.RdmaUnavailableException e) {
                System.out.println("no devices"); // the libraries are loaded all the same
            }
            String maps = Files.readString(Path.of("/proc/self/maps"));
            System.out.println(maps.contains("libibverbs.so") + " " + maps.contains("librdmacm.so"));
        }
    }

    @Test
    void shouldNotBeLoadedByVerbs() {
        ChildJvm.Result result =
                new ChildJvm().options("--enable-native-access=ALL-UNNAMED").run(VerbsOnly.class);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().endsWith("true false\n"), result.output());
    }
}
