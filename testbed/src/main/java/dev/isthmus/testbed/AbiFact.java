package dev.isthmus.testbed;

/**
 * Something that generated bindings say about C.
 *
 * @param expression a constant expression of C
 * @param value its value, according to the bindings
 */
public record AbiFact(String expression, long value) {

    // The smallest long has no literal of its own in C.
    String literal() {
        return value == Long.MIN_VALUE ? "(-9223372036854775807LL - 1)" : value + "LL";
    }
}
