// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

/**
 * A part of a shared receive queue.
 *
 * @param operations how many tag operations it was created for; 0 if it matches no tags
 */
public record TagLimit(int operations) {}
