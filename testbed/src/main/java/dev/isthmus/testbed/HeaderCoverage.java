// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which Java member stands for each function of a C header, and which test runs it. The functions come from the header
 * itself, as the C preprocessor leaves it; the members and tests from files of lines like this:
 *
 * <pre>
 * ibv_alloc_pd | DeviceContext.allocateProtectionDomain | ProtectionDomainTest.shouldCloseAfterItsRegions | a remark
 * </pre>
 *
 * <p>Where nothing stands for a function, member and test are {@code -} and the remark says why. Members and tests are
 * looked for in the sources. A function that only newer headers have is noted in the file {@code newer.txt}.
 */
public final class HeaderCoverage {

    private static final String NONE = "-";
    private static final String NEWER = "newer.txt";
    private static final Pattern MEMBER = Pattern.compile("(?:internal )?([A-Z]\\w*)\\.(\\w+)(?:\\([\\w, ]+\\))?");

    /** How the tests of a function fare on a device. */
    private enum Seen {
        WORKS("works"),
        REFUSED("refused"),
        NOT_REACHED("not reached"),
        NO_DEVICE("no device"),
        NOTHING(NONE);

        private final String word;

        Seen(String word) {
            this.word = word;
        }
    }

    /** A line of the table. */
    private record Entry(String function, String members, String tests, String remark, boolean newer) {

        boolean isGap() {
            return members.equals(NONE) || tests.equals(NONE);
        }
    }

    private final Path home;
    private final Set<String> functions;
    private final List<String> modules;
    private final Map<String, Map<String, Path>> files = new HashMap<>(); // by the folder of their sources
    private final Map<String, Entry> entries = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private final Map<String, String> refused = new TreeMap<>();

    private HeaderCoverage(Path home, Set<String> functions, List<String> modules) {
        this.home = home;
        this.functions = functions;
        this.modules = modules;
    }

    /**
     * Compares a header with the notes on it.
     *
     * @param home the project's folder
     * @param include what a C program includes, such as {@code infiniband/verbs.h}
     * @param name matches the names of the functions that count
     * @param notes the folder of the notes, within the project
     */
    public static HeaderCoverage of(Path home, String include, Pattern name, Path notes) {
        return of(home, functions(include, name), notes, "api", "samples", "perf");
    }

    /**
     * Compares functions with the notes on them.
     *
     * @param home the project's folder
     * @param functions the names of the functions
     * @param notes the folder of the notes, within the project
     * @param modules whose sources have the members and tests
     */
    public static HeaderCoverage of(Path home, Set<String> functions, Path notes, String... modules) {
        var coverage = new HeaderCoverage(home, functions, List.of(modules));
        try (Stream<Path> files = Files.list(home.resolve(notes))) {
            for (Path file : files.sorted().toList()) {
                coverage.read(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        coverage.compare();
        return coverage;
    }

    /** The faults: functions without a line, lines without a function, members and tests that do not exist. */
    public List<String> faults() {
        return List.copyOf(faults);
    }

    /** How many functions the header has. */
    public int functionCount() {
        return functions.size();
    }

    /**
     * Reads which tests a device refuses, for {@link #tableOfDevice}.
     *
     * @param list the file of {@code docs/coverage/refused.d}, within the project
     * @return this
     */
    public HeaderCoverage on(Path list) throws IOException {
        for (String line : Files.readAllLines(home.resolve(list))) {
            String[] parts = line.split(" \\| ", 2);
            refused.put(parts[0], parts[1]);
        }
        return this;
    }

    /**
     * The table with the tests' results on a device, as Markdown, after a summary of how many functions have
     * which result.
     *
     * @param device the heading of the column
     */
    public List<String> tableOfDevice(String device) {
        var rows = new ArrayList<String>();
        var count = new EnumMap<Seen, Integer>(Seen.class);
        for (Entry entry : entries.values()) {
            Seen seen = seen(entry);
            count.merge(seen, 1, Integer::sum);
            String why = seen == Seen.NOT_REACHED
                    ? ": `" + refusedCall(names(entry.tests).getFirst()) + "`"
                    : "";
            String line = "| `" + entry.function + "` | " + code(entry.members) + " | " + code(entry.tests) + " | "
                    + seen.word + why + " | " + entry.remark + " |";
            rows.add(line.replace("  |", " |"));
        }
        var lines = new ArrayList<String>();
        for (Seen seen : Seen.values()) {
            if (seen != Seen.NOTHING) {
                int functions = count.getOrDefault(seen, 0);
                lines.add("- **" + seen.word + "**, " + functions + (functions == 1 ? " function: " : " functions: ")
                        + meaning(seen));
            }
        }
        lines.add("");
        lines.add("| C function | Java | Test | " + device + " | Remark |");
        lines.add("|---|---|---|---|---|");
        lines.addAll(rows);
        return lines;
    }

    private static String meaning(Seen seen) {
        return switch (seen) {
            case WORKS -> "the test calls the function on this device, and it works.";
            case REFUSED ->
                "the device does not support the function. The test calls it, and sees only the right exception.";
            case NOT_REACHED ->
                "the device refuses what the test needs first; the column names that function. The test"
                        + " exists, but has never called the function.";
            case NO_DEVICE -> "the test needs no device.";
            case NOTHING -> "";
        };
    }

    private Seen seen(Entry entry) {
        if (entry.isGap()) {
            return Seen.NOTHING;
        }
        List<String> onDevice =
                names(entry.tests).stream().filter(this::needsDevice).toList();
        if (onDevice.isEmpty()) {
            return Seen.NO_DEVICE;
        }
        if (onDevice.stream().anyMatch(test -> !refused.containsKey(test))) {
            return Seen.WORKS;
        }
        return onDevice.stream().map(this::refusedCall).anyMatch(entry.function::equals)
                ? Seen.REFUSED
                : Seen.NOT_REACHED;
    }

    private boolean needsDevice(String test) {
        String source = source(test.substring(0, test.indexOf('.')), "src/test/java");
        return source != null && source.contains("@Tag(\"device\")");
    }

    /** The call that a device refuses in a test. */
    private String refusedCall(String test) {
        return refused.getOrDefault(test, "").replaceFirst(":.*", "");
    }

    private static List<String> names(String names) {
        return List.of(names.split(", (?=[A-Z])", -1));
    }

    /** The table, as Markdown. */
    public List<String> table() {
        var lines = new ArrayList<String>();
        lines.add("| C function | Java | Test | Remark |");
        lines.add("|---|---|---|---|");
        for (Entry entry : entries.values()) {
            String line = "| `" + entry.function + "` | " + code(entry.members) + " | " + code(entry.tests) + " | "
                    + entry.remark + " |";
            lines.add(line.replace("  |", " |"));
        }
        return lines;
    }

    /** The functions that notes say a test class calls, in any of its tests. */
    public Set<String> functionsOf(Class<?> tests) {
        var found = new TreeSet<String>();
        for (Entry entry : entries.values()) {
            if (!entry.isGap()
                    && names(entry.tests).stream().anyMatch(test -> test.startsWith(tests.getSimpleName() + "."))) {
                found.add(entry.function);
            }
        }
        return found;
    }

    /** How many functions have a member and a test. */
    public long covered() {
        return entries.values().stream()
                .filter(entry -> !entry.newer && !entry.isGap())
                .count();
    }

    private static String code(String names) {
        return names.equals(NONE) ? NONE : "`" + names.replace(", ", "`, `") + "`";
    }

    /**
     * The functions of a header.
     *
     * @param include what a C program includes, such as {@code infiniband/verbs.h}
     * @param name matches the names of the functions that count
     */
    public static Set<String> functions(String include, Pattern name) {
        String declaration = "\\b(" + name.pattern() + ")\\s*\\(";
        Pattern call = Pattern.compile(declaration);
        var found = new TreeSet<String>();
        for (String statement :
                topLevel(CProgram.preprocess("#include <" + include + ">\n")).split(";", -1)) {
            Matcher matcher = call.matcher(statement);
            if (matcher.find() && !statement.contains("typedef")) {
                found.add(matcher.group(1));
            }
        }
        return found;
    }

    /** The source without the content of braces: each body becomes the semicolon of a declaration. */
    private static String topLevel(String source) {
        var text = new StringBuilder();
        int depth = 0;
        for (int i = 0; i < source.length(); i++) {
            char c = source.charAt(i);
            if (c == '{') {
                depth++;
            } else if (c == '}') {
                depth--;
                text.append(depth == 0 ? ";" : "");
            } else if (depth == 0) {
                text.append(c);
            }
        }
        return text.toString();
    }

    private void read(Path file) throws IOException {
        boolean newer = file.endsWith(NEWER);
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank()) {
                continue;
            }
            String[] fields = line.split("\\|", -1);
            if (fields.length != 4) {
                faults.add(file.getFileName() + ": not four fields: " + line);
                continue;
            }
            var entry = new Entry(fields[0].strip(), fields[1].strip(), fields[2].strip(), fields[3].strip(), newer);
            if (entries.put(entry.function, entry) != null) {
                faults.add(entry.function + " is noted twice");
            }
        }
    }

    private void compare() {
        for (String function : functions) {
            if (!entries.containsKey(function)) {
                faults.add(function + " is not noted: what stands for it in Java, and which test runs it?");
            }
        }
        for (Entry entry : entries.values()) {
            if (!functions.contains(entry.function) && !entry.newer) {
                faults.add(entry.function + " is noted, but the header has no such function");
            }
            if (entry.isGap() && entry.remark.isEmpty()) {
                faults.add(entry.function + " has no member or no test, and no reason is given");
            }
            lookFor(entry.function, entry.members, "src/main/java");
            lookFor(entry.function, entry.tests, "src/test/java");
        }
    }

    private void lookFor(String function, String names, String sources) {
        if (names.equals(NONE)) {
            return;
        }
        for (String name : names(names)) {
            Matcher member = MEMBER.matcher(name);
            if (!member.matches()) {
                faults.add(function + ": '" + name + "' is not of the form Class.method");
            } else if (!isThere(member.group(1), member.group(2), sources)) {
                faults.add(function + ": there is no " + name + " in " + sources);
            }
        }
    }

    /** Whether a class of the project has a member of this name, itself or by inheritance. */
    private boolean isThere(String type, String member, String sources) {
        Pattern declaration = Pattern.compile("\\b" + member + "\\b\\s*[(,;=]");
        String source = source(type, sources);
        while (source != null) {
            if (declaration.matcher(source).find()) {
                return true;
            }
            Matcher parent = Pattern.compile("class " + type + "\\b[^{]*?\\bextends (\\w+)")
                    .matcher(source);
            if (!parent.find()) {
                return false;
            }
            type = parent.group(1);
            source = source(type, sources);
        }
        return false;
    }

    private String source(String type, String sources) {
        Path file = files.computeIfAbsent(sources, this::files).get(type + ".java");
        try {
            return file == null ? null : Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files of the modules' sources, by name; of two of a name that of the first module. */
    private Map<String, Path> files(String sources) {
        var found = new TreeMap<String, Path>();
        for (String module : modules) {
            try (Stream<Path> all = Files.walk(home.resolve(module).resolve(sources))) {
                all.forEach(path -> found.putIfAbsent(path.getFileName().toString(), path));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }
}
