package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.VerbsSeam;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Lets connection management do what only librdmacm can ask for. */
final class SeamForCm implements VerbsSeam {

    @Override
    public DeviceContext deviceContext(MemorySegment handle) {
        IbverbsLibrary.require();
        try (var call = new NativeCall()) {
            MemorySegment context = NativeCall.sized(handle, ibv_context.sizeof());
            return new DeviceContext(new Device(call, ibv_context.device(context)), handle, true);
        }
    }

    @Override
    public QueuePair createQueuePair(
            ProtectionDomain pd,
            QueuePairType type,
            CompletionQueue send,
            CompletionQueue receive,
            Consumer<QueuePairConfig> configure,
            QueuePairMaker maker) {
        var config = new QueuePairConfig();
        config.filling.by(configure, config);
        QueuePair made = QueuePairCreation.create(pd, type, send, receive, config, maker);
        made.cameUp(maker.port(), maker.initialState());
        return made;
    }

    @Override
    public void broughtTo(QueuePair queuePair, QueuePairState state) {
        queuePair.broughtTo(state);
    }

    @Override
    public Lifetime lifetime(QueuePair queuePair) {
        return queuePair.lifetime();
    }

    @Override
    public Lifetime lifetime(CompletionChannel channel) {
        return channel.lifetime();
    }

    @Override
    public AddressVector addressVector(MemorySegment attributes) {
        return AddressVector.read(attributes);
    }

    @Override
    public QueuePairTransition transition(QueuePairState state, MemorySegment attributes, int mask) {
        return QueuePairTransition.read(state, attributes, mask);
    }
}
