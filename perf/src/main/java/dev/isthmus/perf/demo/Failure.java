// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

/**
 * A failure of one half of the demo.
 *
 * @param path which half: verbs or ucx
 * @param reason in one line
 * @param repeated whether the half was run again; then only the second run's rounds count
 */
public record Failure(String path, String reason, boolean repeated) {}
