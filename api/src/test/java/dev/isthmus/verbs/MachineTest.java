package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaException;
import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.testbed.ChildJvm;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a program is told on a machine, or by a JVM, that does not let it use RDMA. */
@Tag("device")
class MachineTest {

    /** Registers memory, and prints what that threw: class and message on one line. */
    static final class Register {
        private Register() {}

        public static void main(String[] args) {
            try (var arena = Arena.ofConfined();
                    var context = Device.first().open();
                    var pd = context.allocateProtectionDomain();
                    var region = pd.register(arena.allocate(Long.parseLong(args[0])))) {
                System.out.println("registered " + region.length());
            } catch (RdmaException e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
    }

    private static final String ACCESS = "--enable-native-access=ALL-UNNAMED";

    private static String register(ChildJvm jvm, long bytes) {
        ChildJvm.Result result = jvm.run(Register.class, Long.toString(bytes));
        assertEquals(0, result.status(), result.output());
        return result.output();
    }

    @Test
    void shouldRegisterWhereNothingIsInTheWay() {
        assertEquals("registered 1048576\n", register(new ChildJvm().options(ACCESS), 1 << 20));
    }

    @Test
    void shouldNameTheLimitOfLockedMemory() {
        // root is not bound by the limit unless it gives up the capability for that.
        var jvm = new ChildJvm()
                .under(
                        "prlimit",
                        "--memlock=65536:65536",
                        "setpriv",
                        "--bounding-set=-ipc_lock",
                        "--inh-caps=-ipc_lock")
                .options(ACCESS);
        String output = register(jvm, 1 << 20);
        assertTrue(output.startsWith("VerbsException: ibv_reg_mr("), output);
        assertTrue(output.contains("ENOMEM (12): this process may lock 64 KiB in all"), output);
        assertTrue(output.contains("ulimit -l"), output);
    }

    @Test
    void shouldSayThatDeviceNodesAreMissing() {
        var jvm = new ChildJvm()
                .under("unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/infiniband && exec \"$@\"", "sh")
                .options(ACCESS);
        String output = register(jvm, 4096);
        assertTrue(output.startsWith(RdmaUnavailableException.class.getSimpleName() + ": "), output);
        assertTrue(output.contains("nodes are missing in /dev/infiniband"), output);
    }

    @Test
    void shouldSayHowToGrantNativeAccess() {
        // From JDK 24 on access is denied on request; before that, by granting it to another module only.
        String[] denied = Runtime.version().feature() >= 24
                ? new String[] {"--illegal-native-access=deny"}
                : new String[] {"--enable-native-access=java.logging"};
        String output = register(new ChildJvm().options(denied), 4096);
        assertTrue(output.contains("--enable-native-access=dev.isthmus"), output);
    }
}
