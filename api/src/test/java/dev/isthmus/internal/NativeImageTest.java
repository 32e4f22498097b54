// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.ucx.UcxLibrary;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The reachability metadata for native images lists each signature that the library links. This test makes the list: from
 * {@link Linking}, once all classes are initialised, and from the generated classes of function pointers that they use.
 */
@Tag("unit")
class NativeImageTest {

    private static final Path HOME = Path.of(System.getProperty("isthmus.home", ".."));
    private static final Path METADATA =
            HOME.resolve("api/src/main/resources/META-INF/native-image/dev.isthmus/isthmus/reachability-metadata.json");
    private static final Pattern BINDING = Pattern.compile("dev/isthmus/bindings/[\\w/]+(?:\\$\\w+)?");

    /** Initialised only once a device is open; it links what its outer class has linked. */
    private static final Set<String> WITH_A_DEVICE = Set.of("dev.isthmus.internal.verbs.DataPath$First");

    @Test
    void shouldListAllThatIsLinked() throws Exception {
        String expected = json(signatures());
        Path made = HOME.resolve("api/target/reachability-metadata.json");
        if (!Files.exists(METADATA) || !Files.readString(METADATA).equals(expected)) {
            Files.writeString(made, expected);
            assertEquals(
                    expected,
                    Files.exists(METADATA) ? Files.readString(METADATA) : "",
                    "what is linked has changed: cp " + made + " " + METADATA);
        }
    }

    @Test
    void shouldLinkNothingElsewhere() throws Exception {
        List<String> others = new ArrayList<>();
        for (Path file : classFiles()) {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            if ((text.contains("downcallHandle") || text.contains("upcallStub"))
                    && !file.endsWith("dev/isthmus/internal/Linking.class")) {
                others.add(file.getFileName().toString());
            }
        }
        assertEquals(List.of(), others);
    }

    private static Set<Linking.Signature> signatures() throws Exception {
        UcxLibrary.load(); // before the classes that link its functions, as by a context
        Set<String> bindings = new TreeSet<>();
        Path classes = classes();
        for (Path file : classFiles()) {
            String name =
                    classes.relativize(file).toString().replace(".class", "").replace('/', '.');
            if (!WITH_A_DEVICE.contains(name) && !name.endsWith("-info")) {
                var _ = Class.forName(name);
            }
            Matcher binding = BINDING.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
            while (binding.find()) {
                bindings.add(binding.group().replace('/', '.'));
            }
        }
        var all = Stream.<Linking.Signature>builder();
        for (String name : bindings) {
            FunctionDescriptor descriptor = descriptorOf(name);
            if (descriptor
                    != null) { // its class links calls in both directions, and pointers are called with errno, too
                all.add(new Linking.Signature(true, descriptor, List.of()));
                all.add(new Linking.Signature(false, descriptor, List.of()));
                all.add(new Linking.Signature(false, descriptor, List.of(NativeCall.CAPTURE_ERRNO)));
            }
        }
        return Stream.concat(all.build(), Linking.signatures().stream()).collect(Collectors.toSet());
    }

    /** The signature of a generated class of function pointers; null for other classes. */
    private static FunctionDescriptor descriptorOf(String name) throws ReflectiveOperationException {
        Class<?> type;
        try {
            type = Class.forName(name, false, NativeImageTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return null; // text that looks like a name
        }
        for (Method method : type.getMethods()) {
            if (method.getName().equals("descriptor") && method.getReturnType() == FunctionDescriptor.class) {
                return (FunctionDescriptor) method.invoke(null);
            }
        }
        return null;
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(Linking.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static List<Path> classFiles() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.walk(classes())) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(".class")).toList();
            assertTrue(found.size() > 100, found.toString());
            return found;
        }
    }

    // ---- the file

    private static String json(Set<Linking.Signature> signatures) {
        return """
                {
                  "foreign": {
                    "downcalls": [
                %s
                    ],
                    "upcalls": [
                %s
                    ]
                  }
                }
                """.formatted(entries(signatures, false), entries(signatures, true));
    }

    private static String entries(Set<Linking.Signature> signatures, boolean upcalls) {
        return signatures.stream()
                .filter(signature -> signature.isUpcall() == upcalls)
                .map(NativeImageTest::entry)
                .distinct()
                .sorted()
                .collect(Collectors.joining(",\n"));
    }

    private static String entry(Linking.Signature signature) {
        FunctionDescriptor descriptor = signature.descriptor();
        String options = signature.options().stream()
                .map(option -> option(option, descriptor.argumentLayouts().size()))
                .sorted()
                .collect(Collectors.joining(", "));
        return "      {\"returnType\": \""
                + descriptor.returnLayout().map(NativeImageTest::type).orElse("void")
                + "\", \"parameterTypes\": ["
                + descriptor.argumentLayouts().stream()
                        .map(layout -> "\"" + type(layout) + "\"")
                        .collect(Collectors.joining(", "))
                + "]" + (options.isEmpty() ? "" : ", \"options\": {" + options + "}") + "}";
    }

    private static String option(Linker.Option option, int arguments) {
        if (option.equals(NativeCall.CAPTURE_ERRNO)) {
            return "\"captureCallState\": true";
        }
        if (option.equals(Linker.Option.critical(false))) {
            return "\"critical\": {\"allowHeapAccess\": false}";
        }
        int index = IntStream.range(0, arguments + 1)
                .filter(i -> option.equals(Linker.Option.firstVariadicArg(i)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no word for " + option));
        return "\"firstVariadicArg\": " + index;
    }

    private static String type(MemoryLayout layout) {
        return switch (layout) {
            case AddressLayout _ -> "void*";
            case ValueLayout value -> "j" + value.carrier().getName();
            default -> throw new AssertionError("no word for " + layout);
        };
    }
}
