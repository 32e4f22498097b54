// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A record as a line of words, for the JVMs that are measured: to load what writes JSON takes a JVM most of a second, and
 * minutes on an emulated processor. No text in the record has a space.
 */
final class RecordLine {

    /** Before the words of an optional value that is there, and in place of one that is not. */
    private static final String SOME = "+";

    private static final String NONE = "-";

    private RecordLine() {}

    static String of(Record each) {
        List<String> words = new ArrayList<>();
        write(each, words);
        return String.join(" ", words);
    }

    private static void write(Object value, List<String> words) {
        if (value instanceof Distribution times) {
            words.add(times.encode());
        } else if (value instanceof Record each) {
            for (RecordComponent part : each.getClass().getRecordComponents()) {
                write(read(part, each), words);
            }
        } else if (value instanceof Optional<?> some) {
            words.add(some.isPresent() ? SOME : NONE);
            some.ifPresent(there -> write(there, words));
        } else if (value instanceof OptionalInt some) {
            words.add(some.isPresent() ? Integer.toString(some.getAsInt()) : NONE);
        } else {
            words.add(value instanceof Enum<?> constant ? constant.name() : value.toString());
        }
    }

    private static Object read(RecordComponent part, Record from) {
        try {
            return part.getAccessor().invoke(from);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Throws an {@link IllegalArgumentException} if the line has no such record. */
    static <R extends Record> R parse(Class<R> type, String line) {
        try {
            return type.cast(parse(type, Arrays.asList(line.split(" ", -1)).iterator()));
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalArgumentException("no " + type.getSimpleName() + ": " + line, e);
        }
    }

    private static Object parse(Type type, Iterator<String> words) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType optional) {
            return words.next().equals(NONE)
                    ? Optional.empty()
                    : Optional.of(parse(optional.getActualTypeArguments()[0], words));
        }
        var plain = (Class<?>) type;
        if (plain.isRecord() && plain != Distribution.class) {
            RecordComponent[] parts = plain.getRecordComponents();
            Object[] values = new Object[parts.length];
            for (int i = 0; i < parts.length; i++) {
                values[i] = parse(parts[i].getGenericType(), words);
            }
            Class<?>[] types =
                    Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return plain.getDeclaredConstructor(types).newInstance(values);
        }
        String word = words.next();
        if (plain.isEnum()) {
            return Arrays.stream(plain.getEnumConstants())
                    .filter(constant -> ((Enum<?>) constant).name().equals(word))
                    .findFirst()
                    .orElseThrow();
        }
        return switch (plain.getSimpleName()) {
            case "boolean" -> Boolean.parseBoolean(word);
            case "int" -> Integer.parseInt(word);
            case "long" -> Long.parseLong(word);
            case "double" -> Double.parseDouble(word);
            case "OptionalInt" -> word.equals(NONE) ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(word));
            case "Distribution" -> Distribution.decode(word);
            default -> word;
        };
    }
}
