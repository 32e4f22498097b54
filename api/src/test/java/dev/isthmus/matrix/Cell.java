// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

/**
 * One cell of a matrix.
 *
 * @param name what is done, for people
 * @param step does it, and throws what is wrong with the answer
 */
record Cell(String name, Step step) {

    /** What is done in a cell. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }
}
