// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import dev.isthmus.perf.common.Spent;

/**
 * What a run measured of its last transfers.
 *
 * @param micros how many microseconds each of them took
 * @param spent what this end spent on all of them
 */
public record StreamFigures(double micros, Spent spent) {}
