/**
 * What all packages share: the exceptions, and {@link dev.isthmus.GuardedArena}. Start in {@code dev.isthmus.verbs}, in
 * {@code dev.isthmus.cm} for connections by IP address and port, or in {@code dev.isthmus.ucx}.
 */
package dev.isthmus;
