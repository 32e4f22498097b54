// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.testbed.ChildJvm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The environment that libmlx5 sees: {@code MLX5_SCATTER_TO_CQE}. */
@Tag("unit")
class IbverbsEnvironmentTest {

    @Test
    void shouldKeepDataOutOfCompletionsUnlessTheUserSaysSo() {
        assertEquals("0", seen("-u", "MLX5_SCATTER_TO_CQE"));
        assertEquals("1", seen("MLX5_SCATTER_TO_CQE=1"));
    }

    private static String seen(String... environment) {
        String[] command = new String[environment.length + 1];
        command[0] = "env";
        System.arraycopy(environment, 0, command, 1, environment.length);
        ChildJvm.Result result = new ChildJvm()
                .under(command)
                .options("--enable-native-access=ALL-UNNAMED")
                .run(Child.class);
        assertEquals(0, result.status(), result.output());
        return result.output().strip();
    }

    /** Prints what C sees in the environment; Java has read it before. */
    static final class Child {

        private static final NativeFunction GETENV = Libc.function("getenv", ValueLayout.ADDRESS, ValueLayout.ADDRESS);

        public static void main(String[] args) {
            IbverbsLibrary.require();
            try (var call = new NativeCall()) {
                MemorySegment value = call.pointer(GETENV, call.allocateFrom("MLX5_SCATTER_TO_CQE"));
                System.out.println(value.address() == 0 ? "not set" : NativeCall.string(value));
            }
        }
    }
}
