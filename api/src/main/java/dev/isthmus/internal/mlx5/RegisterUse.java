// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import java.lang.foreign.MemorySegment;

/** That a queue pair which libmlx5 drives uses its BlueFlame register, which no direct one may use, too. */
public final class RegisterUse {

    private final Register register;

    private RegisterUse(Register register) {
        this.register = register;
    }

    /**
     * Notes the register of a queue pair.
     *
     * @throws NotDirect if direct queue pairs have it
     */
    public static RegisterUse of(Mlx5Library library, MemorySegment qp) throws NotDirect {
        return new RegisterUse(Register.forOther(library.queuePair(qp)));
    }

    /** Ends with the queue pair. */
    public void end() {
        register.release(false);
    }
}
