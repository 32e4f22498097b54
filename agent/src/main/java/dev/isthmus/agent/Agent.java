// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import dev.isthmus.nio.RdmaAsynchronousChannelProvider;
import dev.isthmus.nio.RdmaSelectorProvider;
import dev.isthmus.nio.RdmaSockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;

/**
 * Makes the sockets of a JVM use RDMA: the channels of {@code java.nio}, blocking, with selectors and asynchronous, and the
 * sockets of {@code java.net}. It does what {@code --add-exports}, {@code --add-opens}, {@code --enable-native-access} and
 * the properties of the providers do, and {@link RdmaSockets#install}. It changes no class.
 */
public final class Agent {

    /** The system property that has the agent's jar, for whoever looks at the JVM. */
    private static final String JAR = "isthmus.agent";

    /** The system property that says whether the agent has granted native access. */
    private static final String GRANTED = "isthmus.agent.nativeAccess";

    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private final Instrumentation jvm;
    private final List<String> done = new ArrayList<>();
    private final List<String> lacking = new ArrayList<>();

    private Agent(Instrumentation jvm) {
        this.jvm = jvm;
    }

    /**
     * Begins with the JVM, before the program. Wrong options end the JVM: a program that should use RDMA must not use TCP
     * silently.
     *
     * @param options see the module's documentation; null for none
     * @param jvm what an agent may do
     */
    public static void premain(String options, Instrumentation jvm) {
        try {
            begin(options, jvm);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            say(e.getMessage());
            System.exit(1);
        }
    }

    /**
     * Begins in a JVM that runs already. What it has opened stays as it is.
     *
     * @param options see the module's documentation; null for none
     * @param jvm what an agent may do
     */
    public static void agentmain(String options, Instrumentation jvm) {
        begin(options, jvm);
    }

    private static void begin(String options, Instrumentation jvm) {
        AgentOptions.apply(options);
        var agent = new Agent(jvm);
        agent.openPackages();
        agent.grantNativeAccess();
        agent.provide();
        agent.installSockets();
        System.setProperty(JAR, jar());
        agent.report();
    }

    /** What --add-exports and --add-opens do. */
    private void openPackages() {
        Set<Module> own = Set.of(Agent.class.getModule());
        jvm.redefineModule(
                Object.class.getModule(),
                Set.of(),
                Map.of("sun.nio.ch", own),
                Map.of("java.net", own, "java.lang", own),
                Set.of(),
                Map.of());
    }

    /** What --enable-native-access=ALL-UNNAMED does. The JDK has no public method for it. */
    private void grantNativeAccess() {
        try {
            Method grant = Module.class.getDeclaredMethod("implAddEnableNativeAccessToAllUnnamed");
            grant.setAccessible(true);
            grant.invoke(null);
            System.setProperty(GRANTED, "true");
        } catch (ReflectiveOperationException e) {
            lacking.add("this JDK lets no agent grant native access: set JDK_JAVA_OPTIONS=" + NATIVE_ACCESS);
        }
    }

    private void provide() {
        provide(SelectorProvider.class, RdmaSelectorProvider.class);
        provide(AsynchronousChannelProvider.class, RdmaAsynchronousChannelProvider.class);
        readRules();
        if (SelectorProvider.provider() instanceof RdmaSelectorProvider) {
            done.add("channels");
        } else {
            lacking.add("channels stay with "
                    + SelectorProvider.provider().getClass().getName());
        }
        if (AsynchronousChannelProvider.provider() instanceof RdmaAsynchronousChannelProvider) {
            done.add("asynchronous channels");
        } else {
            lacking.add("asynchronous channels stay with "
                    + AsynchronousChannelProvider.provider().getClass().getName());
        }
    }

    private static void provide(Class<?> kind, Class<?> own) {
        if (System.getProperty(kind.getName()) == null) {
            System.setProperty(kind.getName(), own.getName());
        }
    }

    /** The first use of a provider reads the rules, and hides what is wrong with them in the JDK's exceptions. */
    private static void readRules() {
        try {
            SelectorProvider.provider();
        } catch (ServiceConfigurationError e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof IllegalArgumentException || cause instanceof UncheckedIOException) {
                    throw (RuntimeException) cause;
                }
            }
            throw e;
        }
    }

    private void installSockets() {
        try {
            RdmaSockets.install();
            done.add("java.net");
        } catch (IOException e) {
            lacking.add("the sockets of java.net stay as they are: " + e.getMessage());
        }
    }

    private static String jar() {
        try {
            return Path.of(Agent.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void report() {
        say("sockets use RDMA " + AgentOptions.rules() + " (" + String.join(", ", done) + ")");
        lacking.forEach(Agent::say);
    }

    private static void say(String what) {
        System.err.println("isthmus-agent: " + what);
    }
}
