// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

/**
 * A failure of one part of the demo.
 *
 * @param path which part: verbs or ucx
 * @param reason in one line
 * @param repeated whether the part was run again; then only the second run's rounds count
 */
public record DemoFailure(String path, String reason, boolean repeated) {}
