// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.GuardedArena;
import dev.isthmus.VerbsException;
import dev.isthmus.buffers.RegionCache;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.RemoteMemory;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Files that peers may READ: mapped and registered when they are first asked for, as long as the bounds allow. The
 * processor never touches a mapping, so a file that is truncated meanwhile ends nothing: registered pages stay, and pages
 * that are gone cannot be registered. Any thread may use it; what registers or maps blocks.
 */
final class FileRegions implements AutoCloseable {

    /** Files up to this part of the bound are registered whole: others will ask for their other blocks. */
    private static final int WHOLE = 8;

    private static final int EFAULT = 14;
    private static final long PAGE = 64 << 10; // at least as long as the system's

    private final RegionCache regions;
    private final long maxBytes;
    private final int maxFiles;
    private final Map<Path, MappedFile> files =
            new LinkedHashMap<>(16, 0.75f, true); // guarded by this, least used first
    private volatile boolean writable; // whether files are mapped so
    private volatile boolean readOnlyWorks;

    FileRegions(ProtectionDomain pd, long maxBytes, int maxFiles) {
        this.regions = RegionCache.create(pd, maxBytes, maxFiles, AccessFlag.REMOTE_READ);
        this.maxBytes = maxBytes;
        this.maxFiles = maxFiles;
    }

    /** A file as it was when it was mapped. */
    private record Identity(Object key, long bytes, long modifiedMillis) {
        static Identity of(Path path) throws IOException {
            var attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new Identity(
                    attributes.fileKey(),
                    attributes.size(),
                    attributes.lastModifiedTime().toMillis());
        }
    }

    /** A mapped file, whose mapping ends when nobody looks it up any more and no lease is out. */
    private static final class MappedFile {
        private final Identity identity;
        private final GuardedArena arena = GuardedArena.ofShared();
        private final MemorySegment content;
        private int holders; // guarded by the regions
        private boolean retired; // guarded by the regions

        MappedFile(Path path, Identity identity, boolean writable) throws IOException {
            this.identity = identity;
            boolean mapped = false;
            try (FileChannel file = writable
                    ? FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
                    : FileChannel.open(path, StandardOpenOption.READ)) {
                this.content = file.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, identity.bytes(), arena);
                mapped = true;
            } finally {
                if (!mapped) {
                    arena.close();
                }
            }
        }

        boolean isUnused() {
            return holders == 0;
        }

        /** Closing the arena deregisters what is registered of it. */
        void close() {
            arena.close();
        }
    }

    /** A range of a file that peers may READ until it is released. */
    record Lease(MappedFile file, long number, RemoteMemory memory) {}

    /**
     * Maps and registers a range. Throws an IOException if the file has no such range or cannot be mapped, and an
     * RdmaException if the system lets no more be registered; null if the bounds leave no room now.
     */
    Lease tryAcquire(BlockSource.Range range) throws IOException {
        boolean mapsWritable = writable;
        MappedFile file = hold(range);
        boolean done = false;
        try {
            Lease lease = tryRegister(file, range);
            done = lease != null;
            if (done && !mapsWritable) {
                readOnlyWorks = true;
            }
            return lease;
        } catch (VerbsException e) {
            if (e.errno() != EFAULT || readOnlyWorks) { // EFAULT is also what a page gives that is gone
                throw e;
            }
            if (mapsWritable) {
                mapAll(false);
                throw e;
            }
        } finally {
            if (!done) {
                drop(file);
            }
        }
        // Linux before 6.2 pins pages as if to write them, whatever the access, and refuses read-only mappings.
        mapAll(true);
        return tryAcquire(range);
    }

    private void mapAll(boolean toWrite) {
        retireAll();
        writable = toWrite;
    }

    private Lease tryRegister(MappedFile file, BlockSource.Range range) {
        long bytes = file.identity.bytes();
        long begin = bytes <= maxBytes / WHOLE ? 0 : range.offset() & -PAGE;
        long end = bytes <= maxBytes / WHOLE ? bytes : Math.min(bytes, range.offset() + range.length());
        if (end - begin > maxBytes - PAGE) {
            return null;
        }
        long number = regions.tryAcquire(file.content.asSlice(begin, end - begin));
        return number == 0
                ? null
                : new Lease(file, number, regions.remoteMemory(number).slice(range.offset() - begin, range.length()));
    }

    private synchronized MappedFile hold(BlockSource.Range range) throws IOException {
        Identity identity = Identity.of(range.file());
        if (range.length() > identity.bytes() - range.offset()) {
            throw new EOFException(range.file() + " ends at " + identity.bytes());
        }
        MappedFile file = files.get(range.file());
        if (file == null || !file.identity.equals(identity)) {
            retire(files.remove(range.file()));
            makeRoom();
            file = new MappedFile(range.file(), identity, writable);
            files.put(range.file(), file);
        }
        file.holders++;
        return file;
    }

    private void makeRoom() {
        Iterator<MappedFile> least = files.values().iterator();
        while (files.size() >= maxFiles && least.hasNext()) {
            MappedFile file = least.next();
            least.remove();
            retire(file);
        }
    }

    private static void retire(MappedFile file) {
        if (file != null) {
            file.retired = true;
            if (file.isUnused()) {
                file.close();
            }
        }
    }

    private synchronized void retireAll() {
        files.values().forEach(FileRegions::retire);
        files.clear();
    }

    private synchronized void drop(MappedFile file) {
        file.holders--;
        if (file.retired && file.isUnused()) {
            file.close();
        }
    }

    /** Ends a lease: no READ of it can be under way. */
    void release(Lease lease) {
        regions.release(lease.number());
        drop(lease.file());
    }

    long pinnedBytes() {
        return regions.pinnedBytes();
    }

    /** Deregisters and unmaps everything. All leases must have been released. */
    @Override
    public void close() {
        retireAll();
        regions.close();
    }
}
