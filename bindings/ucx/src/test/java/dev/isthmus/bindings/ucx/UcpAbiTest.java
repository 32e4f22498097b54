// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.bindings.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.AbiCheck;
import dev.isthmus.testbed.AbiFact;
import dev.isthmus.testbed.HeaderRelease;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class UcpAbiTest {

    // The constants are the release's own number, and what counts the kinds of memory that it knows.
    private static final AbiCheck ABI = new AbiCheck(
            List.of("ucp/api/ucp.h", "ucs/debug/debug.h"),
            List.of(ucp_h.class),
            new HeaderRelease("ucx", "1.13.1"),
            Set.of(
                    "(int) UCP_API_MINOR",
                    "(int) UCP_API_VERSION",
                    "(int) UCS_MEMORY_TYPE_LAST",
                    "(int) UCS_MEMORY_TYPE_UNKNOWN",
                    "(long) UCS_MEMORY_TYPES_CPU_ACCESSIBLE"));

    // Else UCX takes SIGSEGV over when it is loaded, which the JVM needs for itself, and ends the process at the first.
    @BeforeAll
    @SuppressWarnings("restricted")
    static void keepUcxFromHandlingSignals() throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle setenv = linker.downcallHandle(
                linker.defaultLookup().find("setenv").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            int status = (int) setenv.invokeExact(arena.allocateFrom("UCX_ERROR_SIGNALS"), arena.allocateFrom(""), 1);
            assertEquals(0, status);
        }
    }

    @Test
    void shouldMatchTheCompilersLayoutsAndConstants() {
        assertEquals(List.of(), ABI.mismatches());
    }

    @ParameterizedTest
    @ValueSource(strings = {"amd64", "aarch64"})
    void shouldMatchTheCompilersLayoutsAndConstantsOnProcessor(String processor) {
        ABI.assertOn(processor, "ucp", "ucs");
    }

    @Test
    void shouldCheckMembersOfUnnamedTypesAndTypedefs() {
        List<String> checked = ABI.facts().stream().map(AbiFact::expression).toList();
        assertTrue(checked.contains("offsetof(ucp_request_param_t, cb.recv_stream)"));
        assertTrue(checked.contains("sizeof(ucp_params_t)"));
        assertTrue(checked.contains("sizeof(ucp_tag_t)"));
        assertTrue(checked.contains("sizeof((ucp_worker_progress)(0))"));
        assertTrue(checked.contains("(int) UCP_FEATURE_TAG"));
    }

    // libucs comes with libucp, and its symbols are found through it.
    @Test
    void shouldFindEveryFunctionInTheLibrary() {
        assertEquals(List.of(), AbiCheck.missingFunctions(ucp_h.class, "libucp.so.0"));
    }
}
