// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.internal.Errno;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ReregistrationTest {

    @Test
    void shouldTellFromResultWhatIsLeftOfRegion() {
        // enum ibv_rereg_mr_err_code, which ConstantsTest compares with the header.
        assertEquals(Reregistration.Outcome.CHANGED, Reregistration.Outcome.of(0, Errno.EINVAL));
        assertEquals(Reregistration.Outcome.UNCHANGED, Reregistration.Outcome.of(-1, Errno.EINVAL));
        assertEquals(Reregistration.Outcome.UNCHANGED, Reregistration.Outcome.of(-2, Errno.EINVAL));
        assertEquals(Reregistration.Outcome.CHANGED, Reregistration.Outcome.of(-3, Errno.EINVAL));
        assertEquals(Reregistration.Outcome.LOST, Reregistration.Outcome.of(-4, Errno.EINVAL));
        assertEquals(Reregistration.Outcome.LOST, Reregistration.Outcome.of(-5, Errno.EINVAL));
        assertEquals(Reregistration.Outcome.LOST, Reregistration.Outcome.of(22, Errno.EINVAL));
        // What libibverbs says if the driver has no such call.
        assertEquals(Reregistration.Outcome.UNCHANGED, Reregistration.Outcome.of(-4, Errno.EOPNOTSUPP));
    }
}
