// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.EnumSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class UcxFailureTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ucp_init",
                "ucp_listener_create",
                "ucp_ep_create",
                "ucp_mem_map",
                "ucp_tag_send_nbx",
                "a send",
            })
    void shouldSayWhatHelpsWithEachStatus(String call) {
        EnumSet<UcsStatus> errors = EnumSet.allOf(UcsStatus.class);
        errors.removeIf(status -> !status.isError());
        errors.removeAll(EnumSet.of(UcsStatus.NO_MESSAGE, UcsStatus.NO_PROGRESS, UcsStatus.UNKNOWN)); // not of a call
        for (UcsStatus status : errors) {
            String message = UcxFailure.of(status.code(), call, "an object").getMessage();
            assertFalse(message.endsWith(UcsStatus.describe(status.code())), message);
        }
    }
}
