// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ucx")
class UcpContextTest {

    @Test
    void shouldTellVersion() {
        UcxVersion version = UcxVersion.loaded();
        assertEquals(1, version.major());
        assertTrue(version.minor() >= 12, version.toString());
        assertTrue(version.toString().matches("1\\.[0-9]+\\.[0-9]+"), version.toString());
    }

    @Test
    void shouldHaveTheValuesOfTheHeaders() {
        UcxVersion.loaded(); // before the generated classes
        assertEquals(ucp_h.UCP_FEATURE_TAG(), UcpFeature.TAG.bit());
        assertEquals(ucp_h.UCP_FEATURE_RMA(), UcpFeature.RMA.bit());
        assertEquals(ucp_h.UCP_FEATURE_AMO32(), UcpFeature.AMO32.bit());
        assertEquals(ucp_h.UCP_FEATURE_AMO64(), UcpFeature.AMO64.bit());
        assertEquals(ucp_h.UCP_FEATURE_WAKEUP(), UcpFeature.WAKEUP.bit());
        assertEquals(ucp_h.UCP_FEATURE_STREAM(), UcpFeature.STREAM.bit());
        assertEquals(ucp_h.UCP_FEATURE_AM(), UcpFeature.AM.bit());
        assertEquals(ucp_h.UCS_THREAD_MODE_SINGLE(), UcpThreadMode.SINGLE.code());
        assertEquals(ucp_h.UCS_THREAD_MODE_SERIALIZED(), UcpThreadMode.SERIALIZED.code());
        assertEquals(ucp_h.UCS_THREAD_MODE_MULTI(), UcpThreadMode.MULTI.code());
        assertEquals(ucp_h.UCS_MEMORY_TYPE_HOST(), UcpMemoryType.HOST.code());
        assertEquals(ucp_h.UCS_MEMORY_TYPE_ROCM_MANAGED(), UcpMemoryType.ROCM_MANAGED.code());
        assertEquals(UcsStatus.OK, UcsStatus.of(ucp_h.UCS_OK()));
        assertEquals(UcsStatus.IN_PROGRESS, UcsStatus.of(ucp_h.UCS_INPROGRESS()));
        assertEquals(UcsStatus.MESSAGE_TRUNCATED, UcsStatus.of(ucp_h.UCS_ERR_MESSAGE_TRUNCATED()));
        assertEquals(UcsStatus.CANCELED, UcsStatus.of(ucp_h.UCS_ERR_CANCELED()));
        assertEquals(UcsStatus.CONNECTION_RESET, UcsStatus.of(ucp_h.UCS_ERR_CONNECTION_RESET()));
        assertEquals(UcsStatus.ENDPOINT_TIMEOUT, UcsStatus.of(ucp_h.UCS_ERR_ENDPOINT_TIMEOUT()));
        assertEquals(UcsStatus.UNKNOWN, UcsStatus.of(-77));
        assertEquals(UcsStatus.UNKNOWN, UcsStatus.of(Integer.MIN_VALUE));
        assertEquals(UcsStatus.UNKNOWN, UcsStatus.of(200));
    }

    @Test
    void shouldTellVersionInItsOwnWords() {
        assertTrue(UcxVersion.text().startsWith(UcxVersion.loaded().toString()), UcxVersion.text());
        assertEquals(UcpThreadMode.MULTI, UcpThreadMode.supported());
    }

    @Test
    void shouldNameTheVersionThatHasWhatIsMissing() {
        UcxLibrary.require(12, "anything");
        var e = assertThrows(RdmaUnavailableException.class, () -> UcxLibrary.require(999, "ucp_something"));
        assertTrue(
                e.getMessage().startsWith("ucp_something needs UCX 1.999, and " + UcxVersion.loaded() + " is loaded:"),
                e.getMessage());
    }

    @Test
    void shouldTellItsAttributes() {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any())
                .name("with attributes")
                .estimatedEndpoints(10)
                .estimatedProcessesPerNode(2)
                .tagSenderMask(0xff))) {
            UcpContextAttributes attributes = context.attributes();
            assertEquals("with attributes", attributes.name());
            assertEquals(UcpThreadMode.MULTI, attributes.threadMode());
            assertTrue(attributes.requestBytes() > 0);
            assertTrue(attributes.memoryTypes().contains(UcpMemoryType.HOST), attributes.toString());
            assertEquals(1, attributes.memoryTypeBits() & 1);
            String info = context.info();
            assertTrue(info.contains("UCP context"), info);
        }
        UcpContext closed = UcpContext.create();
        closed.close();
        assertThrows(IllegalStateException.class, closed::attributes);
        assertThrows(IllegalStateException.class, closed::info);
        var config = new UcpContextConfig();
        assertThrows(IllegalArgumentException.class, () -> config.estimatedEndpoints(0));
        assertThrows(IllegalArgumentException.class, () -> config.estimatedProcessesPerNode(-1));
    }

    @Test
    void shouldPrintOptionsAsTheyWereSet() {
        var config = new UcpContextConfig().set("RNDV_THRESH", "12345");
        String options = config.options(false);
        assertTrue(options.lines().anyMatch(line -> line.matches("UCX_RNDV_THRESH=.*12345.*")), options);
        assertTrue(options.lines().anyMatch(line -> line.startsWith("UCX_TLS=")), options);
        assertTrue(config.options(true).length() > options.length());
        config.set("RNDV_THRESH", "rather long");
        assertThrows(IllegalArgumentException.class, () -> config.options(false));
    }

    @Test
    void shouldRefuseUnknownOption() {
        var e = assertThrows(
                IllegalArgumentException.class, () -> UcpContext.create(config -> config.set("TSL", "tcp")));
        assertTrue(e.getMessage().contains("TSL"), e.getMessage());
        assertTrue(e.getMessage().contains("ucx_info"), e.getMessage());
    }

    @Test
    void shouldRefuseOptionWithPrefix() {
        var config = new UcpContextConfig();
        var e = assertThrows(IllegalArgumentException.class, () -> config.set("UCX_TLS", "tcp"));
        assertTrue(e.getMessage().contains("without UCX_"), e.getMessage());
    }

    @Test
    void shouldRefuseValueThatUcxDoesNotAccept() {
        var e = assertThrows(
                IllegalArgumentException.class,
                () -> UcpContext.create(config -> config.set("RNDV_THRESH", "rather long")));
        assertTrue(e.getMessage().contains("RNDV_THRESH=rather long"), e.getMessage());
    }

    @Test
    void shouldApplyOptionOfTransport() {
        boolean fullNames = UcxVersion.loaded().minor() >= 17;
        String refused = fullNames ? "TX_SEG_SIZE" : "TCP_TX_SEG_SIZE";
        var e = assertThrows(
                IllegalArgumentException.class, () -> UcpContext.create(config -> config.set(refused, "1m")));
        assertTrue(e.getMessage().contains("TCP_TX_SEG_SIZE"), e.getMessage());
        String taken = fullNames ? "TCP_TX_SEG_SIZE" : "TX_SEG_SIZE";
        // There is no worker if the only allowed transport could not receive what it sends.
        try (var context = UcpContext.create(config -> config.set("TLS", "tcp").set(taken, "1m"))) {
            assertThrows(UcxException.class, context::createWorker);
        }
    }

    @Test
    void shouldApplyOption() {
        // There is no context if the only allowed transport has no device.
        var e = assertThrows(
                UcxException.class,
                () -> UcpContext.create(config -> config.set("TLS", "tcp").set("NET_DEVICES", "none0")));
        assertEquals("ucp_init", e.call());
        assertEquals(-14, e.status());
        assertTrue(e.getMessage().contains("UCS_ERR_NO_DEVICE (-14)"), e.getMessage());
        assertTrue(e.getMessage().contains("ucx_info -d"), e.getMessage());
    }

    @Test
    void shouldRefuseToBeWithoutFeatures() {
        var config = new UcpContextConfig();
        assertThrows(IllegalArgumentException.class, () -> config.features(List.of()));
    }

    @Test
    void shouldRefuseTagsWithoutTheFeature() {
        try (var context = UcpContext.create(
                        config -> config.set("TLS", UcxTransports.any()).features(EnumSet.of(UcpFeature.AM)));
                var worker = context.createWorker();
                var endpoint = worker.createEndpoint(worker.address())) {
            assertEquals(Set.of(UcpFeature.AM), context.features());
            var arena = Arena.ofAuto();
            assertThrows(IllegalStateException.class, () -> endpoint.tagSend(arena.allocate(8), 1));
            assertThrows(IllegalStateException.class, () -> worker.tagReceive(arena.allocate(8), 1));
        }
    }

    @Test
    void shouldRefuseToCloseWhileWorkersAreOpen() {
        var context = UcpContext.create(
                config -> config.set("TLS", UcxTransports.any()).name("parent"));
        var worker = context.createWorker();
        var e = assertThrows(IllegalStateException.class, context::close);
        assertEquals("UcpContext(parent) cannot be closed yet: close first its 1 UcpWorker", e.getMessage());
        worker.close();
        context.close();
        context.close();
        assertThrows(IllegalStateException.class, context::createWorker);
    }
}
