/** What verbs and UCX share: the exceptions. Start in {@code dev.isthmus.verbs} or {@code dev.isthmus.ucx}. */
package dev.isthmus;
