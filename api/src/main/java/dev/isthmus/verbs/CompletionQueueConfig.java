// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.CompletionQueueFactory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The parameters of a completion queue besides its size, for the configurer passed to {@link
 * DeviceContext#createCompletionQueue(int, java.util.function.Consumer)}.
 */
public final class CompletionQueueConfig {

    static {
        Natives.of(CompletionQueueConfig.class)
                .accepts(CompletionQueueFactory.class, (config, factory) -> config.factory = factory);
    }

    final Filling filling = new Filling();
    private CompletionChannel channel;
    private boolean sizeChecked = true;
    private int vector;
    private boolean direct = true;
    private CompletionQueueFactory factory; // null for verbs itself

    CompletionQueueConfig() {}

    /**
     * Sets where it sends events. Default: nowhere.
     *
     * @param to a channel of the same open device, which stays open as long as the queue; or null for none
     * @return this
     */
    public CompletionQueueConfig channel(CompletionChannel to) {
        filling.check();
        channel = to;
        return this;
    }

    /**
     * Sets which of the device's completion vectors signals its events. Spread queues over vectors to spread them over
     * interrupts, and so over processors. Default: 0.
     *
     * @param number from 0, below {@link DeviceContext#completionVectors}
     * @return this
     */
    public CompletionQueueConfig vector(int number) {
        filling.check();
        vector = number;
        return this;
    }

    /**
     * Says that the queue may have fewer entries than its queue pairs have room for requests, because the program keeps
     * fewer outstanding. Default: Isthmus logs a warning, once, when queue pairs whose {@link
     * QueuePairConfig#maxSendWr} and {@link QueuePairConfig#maxRecvWr} were set come to more than its entries. Shared
     * receive queues and default sizes do not count.
     *
     * @return this
     */
    public CompletionQueueConfig sizeUnchecked() {
        filling.check();
        sizeChecked = false;
        return this;
    }

    /**
     * Says whether Java itself may poll the queue, if its first queue pair is {@linkplain QueuePairConfig#direct direct}.
     * It then has only direct ones; and if its first one is not direct, none of them is. Such a queue cannot be resized.
     * Default: yes.
     *
     * @param straightToTheCard false if it will have queue pairs that cannot be direct
     * @return this
     */
    public CompletionQueueConfig direct(boolean straightToTheCard) {
        filling.check();
        direct = straightToTheCard;
        return this;
    }

    boolean isDirect() {
        return direct;
    }

    boolean sizeChecked() {
        return sizeChecked;
    }

    CompletionChannel channel() {
        return channel;
    }

    CompletionQueueFactory factory() {
        return factory;
    }

    int vector() {
        return vector;
    }

    /** Checks for mistakes that C does not explain. */
    void check(DeviceContext context, int entries) {
        if (entries < 1) {
            throw new IllegalArgumentException("a completion queue needs at least 1 entry, not " + entries);
        }
        if (channel != null && channel.context() != context) {
            throw new IllegalArgumentException("the completion channel must be of the same open device: " + channel);
        }
        if (vector < 0 || vector >= context.completionVectors()) {
            throw new IllegalArgumentException(context.device().name() + " has no completion vector " + vector
                    + ": they are numbered from 0 to " + (context.completionVectors() - 1));
        }
    }

    Lifetime[] parents(DeviceContext context) {
        List<Lifetime> parents = new ArrayList<>(List.of(context.lifetime()));
        if (channel != null) {
            parents.add(channel.lifetime());
        }
        if (factory != null) {
            parents.addAll(factory.parents());
        }
        return parents.toArray(Lifetime[]::new);
    }

    MemorySegment channelHandle() {
        return channel == null ? MemorySegment.NULL : channel.handle();
    }
}
