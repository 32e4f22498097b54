// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpActiveMessage;

/** The program's handlers, each of which runs what the cell has set. */
final class UcxCallbacks {

    private Runnable onMessage = () -> {};
    private Runnable onCompletions = () -> {};
    private Runnable onError = () -> {};
    private Runnable onConnection = () -> {};
    private UcpActiveMessage message;

    void onMessage(Runnable inside) {
        onMessage = inside;
    }

    void onCompletions(Runnable inside) {
        onCompletions = inside;
    }

    void onError(Runnable inside) {
        onError = inside;
    }

    void onConnection(Runnable inside) {
        onConnection = inside;
    }

    /** From now on they do nothing. */
    void reset() {
        onMessage = () -> {};
        onCompletions = () -> {};
        onError = () -> {};
        onConnection = () -> {};
    }

    void message(UcpActiveMessage m) {
        message = m;
        onMessage.run();
    }

    void completions() {
        onCompletions.run();
    }

    void error() {
        onError.run();
    }

    void connection() {
        onConnection.run();
    }

    /** The message of the handler that runs, or else of the last one that has run; null if none has. */
    UcpActiveMessage lastMessage() {
        return message;
    }
}
