// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import java.util.List;

/**
 * One action of a program.
 *
 * @param name for messages
 * @param weight how often, compared with the others
 * @param may why it may be refused, besides what the model knows of the objects that it uses
 * @param step declares what it uses, then does it
 */
record Action(String name, int weight, List<Reason> may, Step step) {

    /** Does something with a worker's objects and numbers. */
    @FunctionalInterface
    interface Step {
        void run(Worker w) throws Exception;
    }

    static Action action(String name, int weight, Step step, Reason... may) {
        return new Action(name, weight, List.of(may), step);
    }
}
