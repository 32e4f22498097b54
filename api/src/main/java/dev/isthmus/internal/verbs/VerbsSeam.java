package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/**
 * What package {@code dev.isthmus.cm} may do with objects of verbs and a user may not: librdmacm opens devices, makes
 * queue pairs, and brings them from state to state.
 */
public interface VerbsSeam {

    /** Makes the C object of a queue pair instead of verbs, and destroys it. */
    interface QueuePairMaker {

        /**
         * Makes it.
         *
         * @param pd the {@code struct ibv_pd}
         * @param attributes a filled {@code struct ibv_qp_init_attr_ex}, whose beginning is a {@code struct
         *     ibv_qp_init_attr}; what was granted is written to it
         * @param extended whether more of it counts than the beginning
         * @param what the object and the arguments that matter, for messages
         * @return the {@code struct ibv_qp}
         */
        MemorySegment create(MemorySegment pd, MemorySegment attributes, boolean extended, String what);

        /** Destroys it, or throws. */
        void destroy();

        /** What must stay open as long as the queue pair is. */
        Lifetime parent();

        /** The port that it is at. */
        int port();

        /** The state that it is made in. */
        QueuePairState initialState();
    }

    /** An open device that librdmacm has opened, and keeps open as long as the process lives. */
    DeviceContext deviceContext(MemorySegment handle);

    /** Creates a queue pair by a maker. It belongs to the calling thread. */
    QueuePair createQueuePair(
            ProtectionDomain pd,
            QueuePairType type,
            CompletionQueue send,
            CompletionQueue receive,
            Consumer<QueuePairConfig> configure,
            QueuePairMaker maker);

    /** Tells a queue pair, on any thread, where it has been brought. */
    void broughtTo(QueuePair queuePair, QueuePairState state);

    /** The life of a queue pair, for a call that needs it. */
    Lifetime lifetime(QueuePair queuePair);

    /** The life of a completion channel, for what watches it. */
    Lifetime lifetime(CompletionChannel channel);

    /** Reads a {@code struct ibv_ah_attr}; null when it has no port. */
    AddressVector addressVector(MemorySegment attributes);

    /** Reads a {@code struct ibv_qp_attr} of a step to a state, as far as a mask goes. */
    QueuePairTransition transition(QueuePairState state, MemorySegment attributes, int mask);

    /** The one of verbs. */
    static VerbsSeam get() {
        return Holder.get();
    }

    /** Where verbs puts its own. */
    final class Holder {

        private static VerbsSeam seam;

        private Holder() {}

        /** Called once, when {@link DeviceContext} is initialised. */
        public static void set(VerbsSeam ofVerbs) {
            seam = ofVerbs;
        }

        static VerbsSeam get() {
            if (seam == null) {
                try {
                    MethodHandles.lookup().ensureInitialized(DeviceContext.class);
                } catch (IllegalAccessException e) {
                    throw new AssertionError("a public class", e);
                }
            }
            return seam;
        }
    }
}
