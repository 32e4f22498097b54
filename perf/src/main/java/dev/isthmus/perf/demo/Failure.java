// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

/**
 * What went wrong with a half of the demo.
 *
 * @param path which half: verbs or ucx
 * @param reason in one line
 * @param repeated whether the half was run once more; the rounds are then the second run's alone
 */
public record Failure(String path, String reason, boolean repeated) {}
