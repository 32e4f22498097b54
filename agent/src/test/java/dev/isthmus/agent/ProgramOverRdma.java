// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts somebody else's program on a class path of its own with the agent, as docs/how-to/programs.md says. */
record ProgramOverRdma(String module, List<String> options) {

    private static final String FLAG = "-javaagent:isthmus-agent.jar";
    private static final Path HOME = Path.of(System.getProperty("isthmus.home", ".."));

    /**
     * Prepares a start.
     *
     * @param module the folder under programs/ whose class path it is
     * @param folder where the agent's jar is made
     * @param others what the JVM needs besides the agent; the page names it, too
     */
    static ProgramOverRdma of(String module, Path folder, String... others) throws IOException {
        return withRules(module, folder, "", others);
    }

    /** Prepares a start with rules for the agent, such as {@code =bind=* *}. */
    static ProgramOverRdma withRules(String module, Path folder, String rules, String... others) throws IOException {
        String page = Files.readString(HOME.resolve("docs/how-to/programs.md"));
        var options = new ArrayList<>(List.of("-javaagent:" + AgentJar.in(folder) + rules));
        assertTrue(page.contains(FLAG), "the page does not name " + FLAG);
        for (String other : others) {
            assertTrue(page.contains(other), "the page does not name " + other);
            options.add(other);
        }
        return new ProgramOverRdma(module, List.copyOf(options));
    }

    /** The address that an RDMA device leads to. */
    static InetAddress host() {
        try {
            return InetAddress.getByName(System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[1]);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts a class with a main method. */
    ChildProgram start(String main, String... arguments) throws IOException {
        Path target = HOME.resolve("programs").resolve(module).resolve("target");
        return new ChildProgram(new ChildJvm()
                .options(options.toArray(String[]::new))
                .classPath(String.join(
                        ":",
                        target.resolve("classes").toString(),
                        testbed(),
                        Files.readString(target.resolve("test.classpath")).strip()))
                .command(main, arguments));
    }

    private static String testbed() {
        try {
            return Path.of(ChildJvm.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
