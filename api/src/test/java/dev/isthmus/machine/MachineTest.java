// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaException;
import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.verbs.VerbsErrors;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.File;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The messages that a program gets on a machine, or from a JVM, that does not let it use RDMA. In a package of its own,
 * because a child on the module path would look for classes of an exported package in the module.
 */
@Tag("device")
@Tag("extended")
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
        // Root is not bound by the limit unless it gives up the capability for that.
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

    /** What a kernel says that accepts no region as large as this. */
    @Test
    void shouldNotNameALimitThatDoesNotApply() {
        assertEquals(
                "the kernel has no memory for this, or takes no region of 1,024 KiB; this process may lock any amount"
                        + " (on SoftiWARP of Linux 6.1: " + VerbsErrors.lockedMemoryLimit() + ")",
                VerbsErrors.registrationHelp(1 << 20, Errno.ENOMEM));
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

    /** Waits for GIDs of addresses, and prints the default GID of the first device, or why there is none. */
    static final class DefaultGid {
        private DefaultGid() {}

        public static void main(String[] args) throws UnknownHostException {
            try (var context = Device.first().open()) {
                for (String address : args) {
                    var gid = Gid.of(InetAddress.getByName(address));
                    long deadline =
                            System.nanoTime() + TestDeadlines.ofSeconds(30).toNanos();
                    while (context.gidTable(1).stream()
                                    .noneMatch(entry -> entry.gid().equals(gid))
                            && System.nanoTime() - deadline < 0) {
                        Thread.onSpinWait();
                    }
                }
                System.out.println(context.defaultGid(1).gid().toIpString());
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Linux lists the GIDs of all network namespaces in each. */
    @Test
    void shouldTakeNoGidOfAnotherNetworkNamespace() {
        var jvm = new ChildJvm()
                .under("unshare", "--net", "--mount", "sh", "-c", "mount -t sysfs none /sys && exec \"$@\"", "sh")
                .options(ACCESS);
        String output = jvm.run(DefaultGid.class).output();
        assertTrue(
                output.startsWith(
                        "no GID of this network namespace on " + Device.first().name()),
                output);
        assertTrue(output.contains("only those of others, such as the host's: "), output);
    }

    @Test
    void shouldTakeTheGidOfItsOwnNetworkNamespace() {
        String netdev;
        try (var context = Device.first().open()) {
            netdev = context.defaultGid(1).netdevName().orElseThrow();
        }
        // As a device plugin and macvlan do for a pod.
        var jvm = new ChildJvm().under("sh", "-c", """
                        set -e
                        ip netns add isthmus-pod
                        trap 'ip netns delete isthmus-pod' EXIT
                        ip link add link "$1" name net1 netns isthmus-pod type macvlan mode bridge
                        ip -n isthmus-pod address add 10.99.0.1/24 dev net1
                        ip -n isthmus-pod link set net1 up
                        shift
                        ip netns exec isthmus-pod "$@"
                        """, "sh", netdev).options(ACCESS);
        ChildJvm.Result result = jvm.run(DefaultGid.class, "10.99.0.1");
        assertEquals("::ffff:10.99.0.1\n", result.output());
    }

    @Test
    void shouldSayHowToGrantNativeAccess() {
        // From JDK 24 on, a flag denies access; before, granting it to another module does.
        String[] denied = Runtime.version().feature() >= 24
                ? new String[] {"--illegal-native-access=deny"}
                : new String[] {"--enable-native-access=java.logging"};
        String output = register(new ChildJvm().options(denied), 4096);
        assertTrue(output.contains("--enable-native-access=ALL-UNNAMED"), output);
    }

    @Test
    void shouldNeedNoMoreThanItsOwnModulesOnTheModulePath() {
        String modules = "dev.isthmus,dev.isthmus.bindings.ibverbs,dev.isthmus.bindings.ucx";
        var jvm = new ChildJvm()
                .options("--module-path", modulePath(), "--add-modules", modules, "--enable-native-access=" + modules);
        if (Runtime.version().feature() >= 24) {
            jvm.options("--illegal-native-access=deny");
        }
        assertEquals("registered 4096\n", register(jvm, 4096));
    }

    /** The folders of the class path with a module in them. */
    private static String modulePath() {
        return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .filter(path -> Files.exists(Path.of(path, "module-info.class")))
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Prepares a request as a program's first step into verbs. */
    static final class PrepareFirst {
        private PrepareFirst() {}

        public static void main(String[] args) {
            for (Runnable step : List.<Runnable>of(
                    () -> SendRequest.prepare(1), () -> ReceiveRequest.prepare(1), () -> WorkCompletions.allocate(1))) {
                try {
                    step.run();
                    System.out.println("done");
                } catch (RdmaException e) {
                    System.out.println(e.getClass().getSimpleName());
                }
            }
        }
    }

    @Test
    void shouldSayWhatIsMissingWhateverComesFirst() {
        // A library of the name that is not one: the search path comes before the system's.
        var jvm = new ChildJvm()
                .under(
                        "sh",
                        "-c",
                        "d=$(mktemp -d) && echo no >$d/libibverbs.so.1 && LD_LIBRARY_PATH=$d \"$@\"; s=$?;"
                                + " rm -r $d; exit $s",
                        "sh")
                .options(ACCESS);
        assertEquals(
                "RdmaUnavailableException\n".repeat(3),
                jvm.run(PrepareFirst.class).output());
        assertEquals(
                "done\n".repeat(3),
                new ChildJvm().options(ACCESS).run(PrepareFirst.class).output());
    }
}
