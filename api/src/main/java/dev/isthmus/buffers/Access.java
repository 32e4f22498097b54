// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.verbs.AccessFlag;
import java.util.List;

/** Access flags that are kept for later registrations. */
final class Access {

    private Access() {}

    /** A copy of flags that a region can have; the device may refuse more. */
    static AccessFlag[] checked(AccessFlag... access) {
        List<AccessFlag> flags = List.of(access);
        boolean remoteWrites = flags.contains(AccessFlag.REMOTE_WRITE) || flags.contains(AccessFlag.REMOTE_ATOMIC);
        if (remoteWrites && !flags.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too: see ibv_reg_mr(3)");
        }
        return access.clone();
    }

    static boolean areWritable(AccessFlag... access) {
        return List.of(access).contains(AccessFlag.LOCAL_WRITE);
    }
}
