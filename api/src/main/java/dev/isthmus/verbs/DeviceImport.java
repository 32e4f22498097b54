// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.VerbsException;
import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Imports open devices. */
final class DeviceImport {

    private static final String DEVICE_NODE = "/dev/infiniband/uverbs";

    private DeviceImport() {}

    static DeviceContext importFrom(int fd) {
        IbverbsLibrary.require();
        if (!node(fd).startsWith(DEVICE_NODE)) {
            throw new IllegalArgumentException(
                    "file descriptor " + fd + " is not of " + DEVICE_NODE + "N, but " + node(fd));
        }
        try (var call = new VerbsCall()) {
            int own = call.checkErrno(Libc.DUP, "" + fd, fd); // closing the context closes it
            MemorySegment handle = importOwn(call, own);
            MemorySegment context = NativeCall.sized(handle, ibv_context.sizeof());
            return new DeviceContext(new Device(call, ibv_context.device(context)), handle);
        }
    }

    private static MemorySegment importOwn(VerbsCall call, int own) {
        try {
            return call.create(Libibverbs.IMPORT_DEVICE, "file descriptor " + own, own);
        } catch (VerbsException e) {
            // After most failures, nobody knows whether the library has closed the descriptor, and another thread may
            // have its number by now. So it is closed here only if the library cannot have touched it.
            if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.ENODEV) {
                call.integer(Libc.CLOSE, own);
            }
            throw e;
        }
    }

    private static String node(int fd) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
        } catch (IOException e) {
            return "not open";
        }
    }
}
