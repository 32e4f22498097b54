// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.bindings.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.AbiCheck;
import dev.isthmus.testbed.AbiFact;
import dev.isthmus.testbed.HeaderRelease;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class VerbsAbiTest {

    // A caller passes the size of its ibv_port_attr to verbs_context.query_port, which fills no more than that; and it
    // tells mlx5dv_init_obj by a mask which members of an mlx5dv_obj it has filled.
    private static final AbiCheck ABI = new AbiCheck(
            List.of("infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h"),
            List.of(verbs_h.class, rdma_cma_h.class, mlx5dv_h.class),
            new HeaderRelease("libibverbs", "1.14.44.0"),
            Set.of("sizeof(struct ibv_port_attr)", "sizeof(struct mlx5dv_obj)"));

    @Test
    void shouldMatchTheCompilersLayoutsAndConstants() {
        assertEquals(List.of(), ABI.mismatches());
    }

    @ParameterizedTest
    @ValueSource(strings = {"amd64", "aarch64"})
    void shouldMatchTheCompilersLayoutsAndConstantsOnProcessor(String processor) {
        ABI.assertOn(processor, "infiniband", "rdma");
    }

    @Test
    void shouldCheckMembersOfNestedAndUnnamedTypes() {
        List<String> checked = ABI.facts().stream().map(AbiFact::expression).toList();
        assertTrue(checked.contains("offsetof(struct ibv_send_wr, wr.atomic.compare_add)"));
        assertTrue(checked.contains("offsetof(struct ibv_wc, invalidated_rkey)"));
        assertTrue(checked.contains("sizeof(union ibv_gid)"));
        assertTrue(checked.contains("offsetof(struct mlx5dv_obj, qp.out)"));
        assertTrue(checked.contains("sizeof((ibv_query_port)(0, 0, 0))"));
        assertTrue(checked.contains("(int) IBV_QPT_RC"));
    }

    @Test
    void shouldFindEveryFunctionInItsLibrary() {
        assertEquals(List.of(), AbiCheck.missingFunctions(verbs_h.class, "libibverbs.so.1"));
        assertEquals(List.of(), AbiCheck.missingFunctions(rdma_cma_h.class, "librdmacm.so.1"));
        assertEquals(List.of(), AbiCheck.missingFunctions(mlx5dv_h.class, "libmlx5.so.1"));
    }
}
