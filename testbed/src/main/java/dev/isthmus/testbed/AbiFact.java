// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

/**
 * Something that generated bindings say about C.
 *
 * @param expression a constant expression of C
 * @param value its value, according to the bindings
 * @param mayBeMore whether C may have more than that: its headers are of a later release, which may have added to it
 */
public record AbiFact(String expression, long value, boolean mayBeMore) {

    AbiFact exact() {
        return new AbiFact(expression, value, false);
    }

    AbiFact orMore() {
        return new AbiFact(expression, value, true);
    }

    boolean allows(long inC) {
        return mayBeMore ? inC >= value : inC == value;
    }

    String assertion() {
        return "_Static_assert((long long)(" + expression + ") " + (mayBeMore ? ">=" : "==") + " " + literal()
                + ", \"Java has " + value + "\");\n";
    }

    // The smallest long has no literal of its own in C.
    private String literal() {
        return value == Long.MIN_VALUE ? "(-9223372036854775807LL - 1)" : value + "LL";
    }
}
