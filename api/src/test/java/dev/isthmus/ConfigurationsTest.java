// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.internal.Filling;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpMemoryType;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.Reregistration;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Only the configurer can change what it is given, and only while it runs: so C gets what was checked. */
class ConfigurationsTest {

    /** Every class whose objects a public method passes to the program to be filled in. */
    private static Set<Class<?>> configurations() throws IOException, URISyntaxException {
        Path classes = Path.of(UcpContext.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Set<Class<?>> found = new LinkedHashSet<>();
        for (String folder : List.of("cm", "ucx", "verbs")) {
            try (Stream<Path> files = Files.walk(classes.resolve("dev/isthmus/" + folder))) {
                files.map(file -> classes.relativize(file).toString())
                        .filter(name -> name.endsWith(".class") && !name.contains("package-info"))
                        .map(name -> load(name.replace(".class", "").replace('/', '.')))
                        .filter(type -> Modifier.isPublic(type.getModifiers()))
                        .flatMap(type -> Stream.of(type.getMethods()))
                        .flatMap(method -> Stream.of(method.getGenericParameterTypes()))
                        .map(ConfigurationsTest::filledIn)
                        .filter(type -> type != null && !setters(type).isEmpty())
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ConfigurationsTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Class<?> filledIn(Type parameter) {
        return parameter instanceof ParameterizedType of
                        && of.getRawType() == Consumer.class
                        && of.getActualTypeArguments()[0] instanceof Class<?> type
                        && type.getName().startsWith("dev.isthmus.")
                ? type
                : null;
    }

    private static List<Method> setters(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && method.getReturnType() == type)
                .toList();
    }

    @Test
    @Tag("unit")
    void shouldBeChangedByTheirConfigurerOnly() throws Exception {
        Set<Class<?>> types = configurations();
        types.remove(Reregistration.class); // needs a region: below
        assertEquals(14, types.size(), types::toString);
        for (Class<?> type : types) {
            Object config = make(type);
            Filling filling = fillingOf(config);
            for (Method setter : setters(type)) {
                var other = new FutureTask<>(() -> refusal(config, setter));
                Thread.ofPlatform().start(other);
                assertRefused(setter, other.get());
            }
            filling.by(_ -> {}, config);
            for (Method setter : setters(type)) {
                assertRefused(setter, refusal(config, setter));
            }
        }
    }

    private static void assertRefused(Method setter, Throwable thrown) {
        assertInstanceOf(IllegalStateException.class, thrown, setter::toString);
        assertTrue(thrown.getMessage().contains("configurer"), thrown.getMessage());
    }

    private static Object make(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(Stream.of(constructor.getParameterTypes())
                .map(parameter -> parameter == Filling.class ? new Filling() : null)
                .toArray());
    }

    private static Filling fillingOf(Object config) throws ReflectiveOperationException {
        Field field = config.getClass().getDeclaredField("filling");
        field.setAccessible(true);
        return (Filling) field.get(config);
    }

    /** The exception of a call with nulls and zeros as its arguments. */
    private static Throwable refusal(Object config, Method setter) {
        Object[] nothing = Stream.of(setter.getParameterTypes())
                .map(type -> type == void.class ? null : Array.get(Array.newInstance(type, 1), 0))
                .toArray();
        return assertThrows(InvocationTargetException.class, () -> setter.invoke(config, nothing), setter::toString)
                .getCause();
    }

    @Test
    @Tag("unit")
    void shouldBeChangedWhileTheirConfigurerRuns() throws ExecutionException, InterruptedException {
        var filling = new Filling();
        filling.check();
        var other = new FutureTask<>(() -> assertThrows(IllegalStateException.class, filling::check));
        Thread.ofPlatform().start(other);
        assertNotNull(other.get());
        filling.by(Filling::check, filling);
        assertThrows(IllegalStateException.class, filling::check);

        var failing = new Filling();
        assertThrows(ArithmeticException.class, () -> failing.by(ConfigurationsTest::fail, failing));
        assertThrows(IllegalStateException.class, failing::check);
    }

    private static void fail(Filling given) {
        given.check();
        throw new ArithmeticException("of the configurer");
    }

    /** Configurers that keep what they are given, and a change that each tries to make later. */
    private static final class Kept {

        private final List<Runnable> changes = new ArrayList<>();

        <C> Consumer<C> by(Consumer<C> change) {
            return by(config -> {}, change);
        }

        <C> Consumer<C> by(Consumer<C> first, Consumer<C> change) {
            return config -> {
                first.accept(config);
                changes.add(() -> change.accept(config));
            };
        }

        void assertAllOver(int count) {
            assertEquals(count, changes.size());
            for (Runnable change : changes) {
                var e = assertThrows(IllegalStateException.class, change::run);
                assertTrue(e.getMessage().contains("configurer"), e.getMessage());
            }
        }
    }

    @Test
    @Tag("ucx")
    void shouldBeOverWhenUcxHasThem() {
        var kept = new Kept();
        try (var context = UcpContext.create(kept.by(
                        config -> config.features(EnumSet.of(UcpFeature.RMA, UcpFeature.WAKEUP)),
                        config -> config.tagSenderMask(1)));
                var worker = context.createWorker(kept.by(config -> config.reservedRequests(1)));
                var endpoint = worker.createEndpoint(worker.address(), kept.by(config -> config.errorHandler(null)));
                var memory = context.allocate(64, kept.by(config -> config.memoryType(UcpMemoryType.HOST)));
                var again = context.register(memory.segment(), kept.by(config -> config.nonBlocking()));
                var loop = EventLoop.start(
                        kept.by(config -> config.exceptionHandler(t -> {}), config -> config.maxTasks(9)));
                var looped = context.createWorker(loop, kept.by(of -> of.closeTimeout(Duration.ZERO)))) {
            assertTrue(endpoint.isOpen() && again.segment().byteSize() == 64 && !loop.isCurrent() && looped != worker);
            kept.assertAllOver(7);
        }
    }

    @Test
    @Tag("device")
    void shouldBeOverWhenTheDeviceHasThem() {
        var kept = new Kept();
        try (var device = Device.first().open();
                var pd = device.allocateProtectionDomain();
                var memory = pd.allocate(64, AccessFlag.LOCAL_WRITE);
                var cq = device.createCompletionQueue(1, kept.by(config -> config.vector(1)));
                var extended = ExtendedCompletionQueue.create(device, 1, kept.by(config -> config.standardFields()));
                var srq = pd.createSharedReceiveQueue(kept.by(config -> config.maxWr(1)));
                var qp = pd.createQueuePair(
                        QueuePairType.RC, cq, extended.queue(), kept.by(config -> config.sharedReceiveQueue(srq)));
                var other = pd.allocate(64, AccessFlag.LOCAL_WRITE)) {
            assertThrows(
                    RuntimeException.class, // refused, or nothing to change
                    () -> memory.region().reregister(kept.by(config -> config.memory(other.segment()))));
            assertTrue(qp.qpNum() != 0);
            kept.assertAllOver(5);
        }
    }

    @Test
    @Tag("device")
    void shouldBeOverWhenAConnectionHasThem() throws Exception {
        var kept = new Kept();
        InetAddress here;
        try (var device = Device.first().open()) {
            here = InetAddress.getByAddress(
                    Arrays.copyOfRange(device.defaultGid(1).gid().bytes(), 12, 16));
        }
        var limit = TestDeadlines.ofSeconds(60);
        try (var listener = Listener.bind(
                new InetSocketAddress(here, 0),
                kept.by(
                        config -> config.connections(kept.by(setup -> setup.completions(1))),
                        config -> config.maxHandshakes(1)))) {
            var accepted = new CountDownLatch(1);
            var client = new FutureTask<Void>(() -> {
                var setup = kept.<dev.isthmus.cm.ConnectionSetup>by(
                        to -> to.queuePair(kept.by(config -> config.maxSendWr(1)))
                                .parameters(kept.by(config -> config.retryCount(1))),
                        to -> to.ackTimeout(1));
                try (var connection = Connector.connect(listener.localAddress(), limit, setup)) {
                    assertNotNull(connection.queuePair());
                    // Linux may take the end of a connection before its last message, and then it was never accepted.
                    assertTrue(accepted.await(limit.toSeconds(), TimeUnit.SECONDS));
                }
                return null;
            });
            Thread.ofPlatform().start(client);
            try (var connection = listener.accept(limit)) {
                assertNotNull(connection.queuePair());
                accepted.countDown();
            }
            client.get();
            kept.assertAllOver(5);
        }
    }
}
