// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/** Converts points, runs and settings to JSON and back. */
final class RunJson {

    static final ObjectMapper JSON = new ObjectMapper();

    private static final String LINES = "lines";
    private static final String POINTS = "points";
    private static final String AVERAGE = "averageMicros";
    private static final String MEDIAN = "medianMicros";
    private static final String P999 = "p999Micros";
    private static final String OVERHEAD = "overheadBytesPerMessage";
    private static final String OVERLAP = "overlap";
    private static final String JVM_FLAGS = "jvmFlags";
    private static final String STEADY = "steady";
    private static final String RATE = "rate";
    private static final String TRANSPORT = "transport";
    private static final String OPERATION = "operation";
    private static final String PROCESSOR = "processorMicrosPerMessage";
    private static final String OFFERED = "offeredPerSecond";
    private static final String TIMES = "times";

    private RunJson() {}

    static ObjectNode of(Point point) {
        ObjectNode node = JSON.createObjectNode()
                .put("way", point.way().id())
                .put("benchmark", point.benchmark().id())
                .put("bytes", point.bytes())
                .put("connections", point.connections());
        point.route()
                .ifPresent(route -> node.put(TRANSPORT, route.transport().id())
                        .put(OPERATION, route.operation().id()));
        return point.rate() == 0 ? node : node.put(RATE, point.rate());
    }

    static ObjectNode of(Run run) {
        ObjectNode node = of(run.point()).put("round", run.round());
        run.averageMicros().ifPresent(value -> node.put(AVERAGE, value));
        run.medianMicros().ifPresent(value -> node.put(MEDIAN, value));
        run.p999Micros().ifPresent(value -> node.put(P999, value));
        node.put("messagesPerSecond", run.messagesPerSecond()).put("bytesPerSecond", run.bytesPerSecond());
        run.overheadBytesPerMessage().ifPresent(value -> node.put(OVERHEAD, value));
        run.overlap().ifPresent(value -> node.put(OVERLAP, value));
        run.processorMicrosPerMessage().ifPresent(value -> node.put(PROCESSOR, value));
        run.offeredPerSecond().ifPresent(value -> node.put(OFFERED, value));
        node.put(STEADY, run.steady()).put("command", run.command());
        if (!run.jvmFlags().isEmpty()) {
            var flags = node.putArray(JVM_FLAGS);
            run.jvmFlags().forEach(flags::add);
        }
        run.times().ifPresent(times -> node.put(TIMES, times.encode())); // last, because it is long
        return node;
    }

    static ObjectNode of(Setting setting) {
        ObjectNode node = JSON.createObjectNode();
        ObjectNode lines = node.putObject(LINES);
        setting.lines().forEach(lines::put);
        var points = node.putArray(POINTS);
        setting.points().forEach(point -> points.add(of(point)));
        return node;
    }

    /** The run in a line. */
    static Run run(String line) throws IOException {
        JsonNode node = tree(line);
        return new Run(
                point(node),
                (int) number(node, "round"),
                optional(node, AVERAGE),
                optional(node, MEDIAN),
                optional(node, P999),
                number(node, "messagesPerSecond"),
                number(node, "bytesPerSecond"),
                optional(node, OVERHEAD),
                optional(node, OVERLAP),
                present(node, STEADY).asBoolean(),
                optional(node, PROCESSOR),
                optional(node, OFFERED),
                times(node),
                text(node, "command"),
                node.path(JVM_FLAGS).valueStream().map(JsonNode::asText).toList());
    }

    static Setting setting(String json) throws IOException {
        JsonNode node = tree(json);
        Map<String, String> lines = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> line : present(node, LINES).properties()) {
            lines.put(line.getKey(), line.getValue().asText());
        }
        List<Point> points = new ArrayList<>();
        for (JsonNode point : present(node, POINTS)) {
            points.add(point(point));
        }
        return new Setting(lines, points);
    }

    private static JsonNode tree(String json) throws IOException {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IOException(e.getOriginalMessage(), e);
        }
    }

    private static Point point(JsonNode node) throws IOException {
        return new Point(
                named(Way.values(), Way::id, text(node, "way")),
                named(Benchmark.values(), Benchmark::id, text(node, "benchmark")),
                (long) number(node, "bytes"),
                (int) number(node, "connections"),
                node.has(RATE) ? (long) number(node, RATE) : 0,
                node.has(OPERATION) ? Optional.of(route(node)) : Optional.empty());
    }

    private static UcxRoute route(JsonNode node) throws IOException {
        return new UcxRoute(
                named(UcxRoute.Transport.values(), UcxRoute.Transport::id, text(node, TRANSPORT)),
                named(UcxRoute.Operation.values(), UcxRoute.Operation::id, text(node, OPERATION)));
    }

    private static <T> T named(T[] all, Function<T, String> id, String wanted) throws IOException {
        return Arrays.stream(all)
                .filter(each -> id.apply(each).equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IOException("there is no \"" + wanted + "\""));
    }

    private static Optional<Distribution> times(JsonNode node) throws IOException {
        try {
            return node.has(TIMES) ? Optional.of(Distribution.decode(text(node, TIMES))) : Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new IOException(TIMES + ": " + e.getMessage(), e);
        }
    }

    private static OptionalDouble optional(JsonNode node, String name) throws IOException {
        return node.has(name) ? OptionalDouble.of(number(node, name)) : OptionalDouble.empty();
    }

    private static double number(JsonNode node, String name) throws IOException {
        JsonNode value = present(node, name);
        if (!value.isNumber()) {
            throw new IOException(name + " is not a number");
        }
        return value.asDouble();
    }

    private static String text(JsonNode node, String name) throws IOException {
        return present(node, name).asText();
    }

    private static JsonNode present(JsonNode node, String name) throws IOException {
        JsonNode value = node.get(name);
        if (value == null) {
            throw new IOException("there is no " + name);
        }
        return value;
    }
}
