/**
 * One thread that serves many things: {@link dev.isthmus.loop.EventLoop}. It hands out events of connections
 * ({@link dev.isthmus.cm.EventChannel}), completions ({@link dev.isthmus.verbs.CompletionChannel}) and devices
 * ({@link dev.isthmus.verbs.AsyncEvents}), progresses UCX workers, watches other file descriptors, and runs timers and
 * the tasks that other threads give it.
 *
 * {@snippet :
 * try (var loop = EventLoop.start()) {
 *     loop.schedule(Duration.ofSeconds(1), () -> System.out.println("a second is over"));
 *     int sum = loop.call(() -> 1 + 1); // on the loop's thread
 * }
 * }
 */
package dev.isthmus.loop;
