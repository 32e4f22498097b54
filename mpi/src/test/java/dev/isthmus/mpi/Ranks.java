// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each test of the class runs on several ranks at once, in JVMs that {@code mpiexec} starts once for the class. It has passed
 * if it has on all of them. {@link RanksMain#world} is what the tests use.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(RanksExtension.class)
@interface Ranks {

    /** How many ranks. */
    int value();

    /** Whether they talk by TCP on this machine, each as if it were on one of its own, and not over shared memory. */
    boolean tcp() default false;

    /** How long one test may take on a quiet machine. */
    int seconds() default 120;

    /** The thread level that they initialise MPI with. */
    ThreadLevel level() default ThreadLevel.FUNNELED;
}
