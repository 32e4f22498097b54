// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Hints, by name: {@code MPI_Info}. An implementation passes over those that it does not know. */
public final class Info extends MpiObject {

    /** {@code MPI_INFO_NULL}: no hints. */
    public static final Info NULL = new Info("NULL", 0x130);

    /** {@code MPI_INFO_ENV}: how the program was started, to read; empty if the launcher does not say. */
    public static final Info ENV = new Info("ENV", 0x131);

    private final String name;

    private Info(String name, long handle) {
        super(null, MemorySegment.ofAddress(handle), true);
        this.name = name;
    }

    Info(Instance instance, MemorySegment handle) {
        super(instance, handle, false);
        name = "own";
    }

    /** A call that writes a handle of a new info. */
    interface Getter {
        int call(MemorySegment handle);
    }

    static Info get(Instance instance, String call, Object object, Getter getter) {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            instance.check(getter.call(handle), call, object);
            return new Info(instance, handle.get(ADDRESS, 0));
        }
    }

    /**
     * Makes an info without hints: {@code MPI_Info_create}. It needs no {@link Mpi}, as little as in C, but one must be open.
     *
     * @return the info
     */
    public static Info create() {
        return get(Instance.entered(), "MPI_Info_create", "", mpi_abi_h::MPI_Info_create);
    }

    /**
     * Makes an info with hints.
     *
     * @param hints values by names
     * @return the info
     */
    public static Info of(Map<String, String> hints) {
        Info info = create();
        hints.forEach(info::set);
        return info;
    }

    /**
     * The same hints once more: {@code MPI_Info_dup}.
     *
     * @return an info with a life of its own
     */
    public Info dup() {
        return get(Instance.entered(), "MPI_Info_dup", this, handle -> mpi_abi_h.MPI_Info_dup(handle(), handle));
    }

    /**
     * Sets a hint: {@code MPI_Info_set}.
     *
     * @param key its name
     * @param value its value
     * @return this
     */
    public Info set(String key, String value) {
        try (Arena arena = Arena.ofConfined()) {
            instance()
                    .check(
                            mpi_abi_h.MPI_Info_set(handle(), arena.allocateFrom(key), arena.allocateFrom(value)),
                            "MPI_Info_set",
                            key);
        }
        return this;
    }

    /**
     * A hint's value: {@code MPI_Info_get_string}.
     *
     * @param key its name
     * @return its value, or empty if it is not set
     */
    public Optional<String> get(String key) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocateFrom(JAVA_INT, mpi_abi_h.MPI_MAX_INFO_VAL() + 1);
            MemorySegment value = arena.allocate(mpi_abi_h.MPI_MAX_INFO_VAL() + 1);
            MemorySegment flag = arena.allocate(JAVA_INT);
            instance()
                    .check(
                            mpi_abi_h.MPI_Info_get_string(handle(), arena.allocateFrom(key), length, value, flag),
                            "MPI_Info_get_string",
                            key);
            return flag.get(JAVA_INT, 0) == 0
                    ? Optional.empty()
                    : Optional.of(value.getString(0, StandardCharsets.UTF_8));
        }
    }

    /**
     * Removes a hint: {@code MPI_Info_delete}.
     *
     * @param key its name, which must be set
     */
    public void delete(String key) {
        try (Arena arena = Arena.ofConfined()) {
            instance().check(mpi_abi_h.MPI_Info_delete(handle(), arena.allocateFrom(key)), "MPI_Info_delete", key);
        }
    }

    /**
     * All hints: {@code MPI_Info_get_nkeys} and {@code MPI_Info_get_nthkey}.
     *
     * @return values by names, in the order of MPI
     */
    public Map<String, String> toMap() {
        var map = new LinkedHashMap<String, String>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            instance().check(mpi_abi_h.MPI_Info_get_nkeys(handle(), number), "MPI_Info_get_nkeys", this);
            MemorySegment key = arena.allocate(mpi_abi_h.MPI_MAX_INFO_KEY() + 1);
            for (int i = 0; i < number.get(JAVA_INT, 0); i++) {
                instance().check(mpi_abi_h.MPI_Info_get_nthkey(handle(), i, key), "MPI_Info_get_nthkey", this);
                String word = key.getString(0, StandardCharsets.UTF_8);
                map.put(word, get(word).orElse(""));
            }
        }
        return map;
    }

    private Instance instance() {
        return instance == null ? Instance.entered() : instance;
    }

    /** Frees it: {@code MPI_Info_free}. */
    @Override
    public void close() {
        free("MPI_Info_free", mpi_abi_h::MPI_Info_free);
    }

    @Override
    String kind() {
        return "Info";
    }

    @Override
    public String toString() {
        return "Info(" + name + ")";
    }
}
