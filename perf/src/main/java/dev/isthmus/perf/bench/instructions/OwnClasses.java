// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.io.IOException;
import java.io.InputStream;

/**
 * Loads the library and this suite again, so that the JIT has no profile of them: docs/instructions.md, "How
 * it counts".
 */
final class OwnClasses extends ClassLoader {

    private static final String ISTHMUS = "dev.isthmus.";

    OwnClasses() {
        super(OwnClasses.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(ISTHMUS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? load(name) : loaded;
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
