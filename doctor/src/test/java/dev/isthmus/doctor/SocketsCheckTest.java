// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.RdmaSelectorProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * JVMs as the attach API and /proc show them: one that lacks nothing, and what the command says when something is
 * taken away.
 */
@Tag("unit")
class SocketsCheckTest {

    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

    @TempDir
    private Path root;

    private final Map<String, String> properties = new TreeMap<>();
    private final List<String> options = new ArrayList<>();

    /** A JVM in which all is well. */
    @BeforeEach
    void lacksNothing() throws IOException {
        properties.put("java.specification.version", "25");
        properties.put("java.vm.version", "25.0.3+9-LTS");
        properties.put(PROVIDER, RdmaSelectorProvider.class.getName());
        properties.put(
                "java.nio.channels.spi.AsynchronousChannelProvider", "dev.isthmus.nio.RdmaAsynchronousChannelProvider");
        properties.put("isthmus.nio.sockets", "true");
        properties.put("java.class.path", "classes:lib/program.jar");
        properties.put("sun.java.command", "com.example.Program --verbose");
        options.add("--enable-native-access=ALL-UNNAMED");
        options.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        isthmus("work/classes/");
        jar("work/lib/program.jar", Map.of(), "com/example/Program");
        file("sys/class/infiniband_verbs/uverbs0/dev", "231:192");
        file("dev/infiniband/uverbs0", "");
        file("dev/infiniband/rdma_cm", "");
        open("dev/infiniband/uverbs0", "rw-rw-rw-");
        open("dev/infiniband/rdma_cm", "rw-rw-rw-");
        file(
                "proc/42/status",
                "Uid:\t4711\t4711\t4711\t4711\nGid:\t4711\t4711\t4711\t4711\nGroups:\t4711 \nCapEff:\t0");
        file("proc/42/limits", "Max locked memory         unlimited            unlimited            bytes");
        file("proc/42/maps", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libibverbs.so.1.14.44.0");
        Files.createDirectories(root.resolve("proc/42/fd"));
        namespace("self", 1);
        namespace("42", 1);
        Files.createSymbolicLink(root.resolve("proc/42/fd/7"), Path.of("/dev/infiniband/uverbs0"));
    }

    private void namespace(String process, int number) throws IOException {
        Path link = root.resolve("proc/" + process + "/ns/net");
        Files.createDirectories(link.getParent());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of("net:[" + number + "]"));
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private void open(String path, String mode) throws IOException {
        Files.setPosixFilePermissions(root.resolve(path), PosixFilePermissions.fromString(mode));
    }

    private void isthmus(String folder) throws IOException {
        file(folder + "dev/isthmus/nio/RdmaSelectorProvider.class", "");
        file(folder + "dev/isthmus/verbs/Device.class", "");
        file(folder + "dev/isthmus/bindings/ibverbs/ibv_ah.class", "");
    }

    private void jar(String path, Map<String, String> attributes, String... classes) throws IOException {
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        Files.createDirectories(root.resolve(path).getParent());
        try (var out = new JarOutputStream(Files.newOutputStream(root.resolve(path)), manifest)) {
            for (String name : classes) {
                out.putNextEntry(new ZipEntry(name + ".class"));
                out.closeEntry();
            }
        }
    }

    private String report() throws IOException {
        var findings = new Findings(Part.SOCKETS);
        var jvm = new RunningJvm(42, root, root.resolve("work"), properties, options);
        new SocketsCheck(new KernelFiles(root), findings, jvm).look(true);
        var out = new StringWriter();
        DoctorCommand.print(new PrintWriter(out), Map.of(Part.SOCKETS, findings));
        return out.toString();
    }

    /** Expects one sentence, and what to add. */
    private void assertLacks(String level, String what, String mend) throws IOException {
        String report = report();
        assertTrue(report.contains("  " + level + what), () -> "not there: " + what + "\n" + report);
        assertTrue(report.contains("        -> " + mend), () -> "not there: " + mend + "\n" + report);
        assertEquals(1, report.split("->", -1).length - 1, report);
        assertEquals(!level.equals("FIX   "), report.contains("sockets of the JVM: works"), report);
    }

    @Test
    void shouldFindNothingToMendWhereAllIsThere() throws IOException {
        String report = report();
        assertTrue(report.contains("sockets of the JVM: works"), report);
        assertFalse(report.contains("->"), report);
        assertTrue(report.contains("it has RDMA devices open"), report);
    }

    @Test
    void shouldSeeTheAgent() throws IOException {
        options.clear();
        properties.put("java.class.path", "lib/program.jar");
        properties.put("isthmus.agent", "/opt/isthmus-agent.jar");
        properties.put("isthmus.agent.nativeAccess", "true");
        String report = report();
        assertTrue(report.contains("the agent /opt/isthmus-agent.jar has brought Isthmus"), report);
        assertFalse(report.contains("->"), report);
        properties.remove("isthmus.agent.nativeAccess");
        assertLacks("note  ", "native access is not granted", "--enable-native-access=ALL-UNNAMED");
    }

    @Test
    void shouldSayThatSocketsOfJavaNetUseTcp() throws IOException {
        properties.remove("isthmus.nio.sockets");
        assertLacks("note  ", "its sockets of java.net, if it has any, use TCP", "-javaagent:isthmus-agent.jar");
    }

    @Test
    void shouldNameTheProviderThatIsMissingOrAnother() throws IOException {
        properties.remove(PROVIDER);
        assertLacks(
                "FIX   ", "its channels are opened by the JDK's provider", "-D" + PROVIDER + "=dev.isthmus.nio.Rdma");
        properties.put(PROVIDER, "com.example.Provider");
        assertLacks("FIX   ", "its channels are opened by com.example.Provider", "-D" + PROVIDER + "=dev.isthmus.nio");
    }

    @Test
    void shouldNameAnOldJdk() throws IOException {
        properties.put("java.specification.version", "1.8");
        properties.put("java.vm.version", "25.402-b06");
        assertLacks("FIX   ", "JDK 25.402-b06 is older than 22", "run the program on a JDK 22 or newer");
    }

    @Test
    void shouldNameTheJarsThatAreMissing() throws IOException {
        Files.delete(root.resolve("work/classes/dev/isthmus/verbs/Device.class"));
        assertLacks("FIX   ", "neither its class path nor its module path has isthmus\n", "add the jars to -cp");
    }

    @Test
    void shouldPassOverWhatIsNoJar() throws IOException {
        properties.put("java.class.path", "lib/notes.jar:classes:lib/program.jar");
        file("work/lib/notes.jar", "nothing");
        assertFalse(report().contains("->"), report());
    }

    @Test
    void shouldFindWhatAManifestNames() throws IOException {
        properties.put("java.class.path", "lib/program.jar");
        jar("work/lib/program.jar", Map.of("Class-Path", "../classes/ more.jar"), "com/example/Program");
        assertFalse(report().contains("->"), report());
    }

    @Test
    void shouldFindModulesAndNameTheirOptions() throws IOException {
        properties.put("java.class.path", "");
        properties.put("jdk.module.path", "mods");
        jar("work/mods/isthmus-nio.jar", Map.of(), "dev/isthmus/nio/RdmaSelectorProvider");
        jar("work/mods/isthmus.jar", Map.of(), "dev/isthmus/verbs/Device");
        jar("work/mods/bindings.jar", Map.of(), "dev/isthmus/bindings/ibverbs/ibv_ah");
        options.clear();
        String report = report();
        assertTrue(report.contains("-> --add-modules dev.isthmus.nio, unless a module requires it"), report);
        assertTrue(report.contains("-> --enable-native-access=dev.isthmus,dev.isthmus.bindings.ibverbs\n"), report);
        assertTrue(report.contains("-> --add-exports java.base/sun.nio.ch=dev.isthmus.nio,"), report);
        options.addAll(List.of(
                "--add-modules=dev.isthmus.nio",
                "--enable-native-access=dev.isthmus,dev.isthmus.bindings.ibverbs",
                "--add-exports=java.base/sun.nio.ch=dev.isthmus.nio"));
        assertFalse(report().contains("->"), report());
    }

    @Test
    void shouldNameNativeAccess() throws IOException {
        options.remove("--enable-native-access=ALL-UNNAMED");
        assertLacks("note  ", "native access is not granted: the JVM warns", "--enable-native-access=ALL-UNNAMED\n");
        options.add("--illegal-native-access=deny");
        assertLacks("FIX   ", "native access is denied to Isthmus", "--enable-native-access=ALL-UNNAMED\n");
        properties.put("java.specification.version", "22");
        options.set(options.size() - 1, "--enable-native-access=com.example"); // then the others are denied
        assertLacks("FIX   ", "native access is denied to Isthmus", "--enable-native-access=ALL-UNNAMED\n");
    }

    @Test
    void shouldTakeWhatTheManifestOfTheProgramGrants() throws IOException {
        options.clear();
        jar(
                "work/program.jar",
                Map.of(
                        "Enable-Native-Access", "ALL-UNNAMED",
                        "Add-Exports", "java.base/sun.nio.ch",
                        "Class-Path", "classes/"));
        properties.put("java.class.path", "program.jar");
        properties.put("sun.java.command", "program.jar --verbose");
        assertFalse(report().contains("->"), report());
    }

    @Test
    void shouldNameTheExportOfTheJdk() throws IOException {
        options.remove("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        assertLacks("note  ", "its selectors refuse channels of TCP", "--add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }

    @Test
    void shouldNameTheRuleThatCannotBeRead() throws IOException {
        properties.put("isthmus.nio.rules", "rules");
        assertLacks("FIX   ", "isthmus.nio.rules names a file that cannot be read: rules", "correct it");
        file("work/rules", "connect * *\nbind 10.0.0.0/8");
        assertLacks("FIX   ", "rules:2: \"bind 10.0.0.0/8\": this is not a rule", "correct it");
        file("work/rules", "connect * *");
        assertLacks("note  ", "rules has no line that begins with bind: every bind uses TCP", "bind * *");
        file("work/rules", "connect * *\nbind * * # all");
        assertFalse(report().contains("->"), report());
        properties.put("isthmus.nio.connect", "* ssh");
        assertLacks(
                "FIX   ",
                "system property isthmus.nio.connect: \"connect * ssh\": \"ssh\" is not a port",
                "correct it");
    }

    @Test
    void shouldTellTheLimitOfLockedMemoryOfTheProcess() throws IOException {
        file("proc/42/limits", "Max locked memory         8388608              8388608              bytes");
        assertLacks("note  ", "only 8 MiB of memory can be locked", "ulimit -l unlimited");
    }

    @Test
    void shouldTellWhatTheUserOfTheProcessMayNotUse() throws IOException {
        open("dev/infiniband/uverbs0", "rw-rw----");
        assertLacks("FIX   ", "the user of the process (4711) may not read and write /dev/infiniband/uverbs0", "chmod");
        String owner = Files.getAttribute(root.resolve("dev/infiniband/uverbs0"), "unix:gid")
                .toString();
        file("proc/42/status", "Uid:\t4711\t4711\t4711\t4711\nGid:\t1\t1\t1\t1\nGroups:\t3 " + owner + " \nCapEff:\t0");
        assertFalse(report().contains("->"), report());
        Files.delete(root.resolve("dev/infiniband/rdma_cm"));
        assertLacks(
                "FIX   ", "the process sees no /dev/infiniband/rdma_cm", "in a container: --device=/dev/infiniband");
    }

    @Test
    void shouldTellThatTheProcessIsInAnotherNetworkNamespace() throws IOException {
        namespace("42", 2);
        assertLacks("note  ", "it has a network namespace of its own", "run doctor where the program runs");
    }

    @Test
    void shouldTakeADeviceThatTheProcessSees() throws IOException {
        file("sys/class/infiniband_verbs/uverbs1/dev", "231:193");
        assertLacks(
                "note  ", "the process sees no /dev/infiniband/uverbs1", "in a container: --device=/dev/infiniband");
    }

    @Test
    void shouldTellThatNettyGoesAnotherWay() throws IOException {
        file("proc/42/maps", "7f00-7f01 r-xp 0 08:01 1 /tmp/libnetty_transport_native_epoll_x86_64123.so (deleted)");
        assertLacks("note  ", "netty has loaded its transport epoll", "-Dio.netty.transport.noNative=true");
    }

    @Test
    void shouldTellThatNothingHasGoneByRdma() throws IOException {
        Files.delete(root.resolve("proc/42/fd/7"));
        assertLacks("note  ", "it has no RDMA device open", "check the rules");
    }
}
