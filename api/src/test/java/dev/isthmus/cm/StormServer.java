// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;

/** Accepts peers unless they ask to be rejected, and follows what becomes of them. */
final class StormServer extends StormSide {

    static final String REJECT = "reject me";
    static final String SO_BE_IT = "so be it";

    StormServer(Times times) {
        super(times);
    }

    @Override
    void on(CmEvent event) {
        switch (event) {
            case CmEvent.ConnectRequest(var id, var listener, var parameters) -> {
                open.add(id);
                if (parameters.privateData().text().equals(REJECT)) {
                    id.reject(PrivateData.of(SO_BE_IT));
                    end(id);
                } else {
                    times.timed("answer a request", () -> accept(id));
                }
            }
            case CmEvent.Established e -> established++;
            case CmEvent.Disconnected(var id, int status) -> {
                times.timed("disconnect", id::disconnect);
                end(id);
            }
            case CmEvent.Rejected e -> end(e.id());
            case CmEvent.Unreachable e -> end(e.id());
            case CmEvent.ConnectError e -> end(e.id());
            default -> {}
        }
    }

    private void accept(ConnectionId id) {
        try {
            queuePair(id);
            id.accept(config -> {});
        } catch (CmException e) {
            end(id); // the peer has gone already
        }
    }
}
