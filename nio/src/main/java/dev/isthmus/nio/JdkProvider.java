// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.nio.channels.spi.SelectorProvider;
import java.security.GeneralSecurityException;
import java.security.Provider;

/**
 * Gets the JDK's own channels even if those of this package are the default. Then {@link SelectorProvider#provider}
 * does not return them, and their package is not exported. But the JDK instantiates any of its public classes for a
 * security provider that names it, so no flag is needed. Should that end,
 * {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED} will do.
 */
final class JdkProvider {

    private static final String NAME = "sun.nio.ch.EPollSelectorProvider";

    private static final class Holder {
        static final SelectorProvider INSTANCE = find();
    }

    private JdkProvider() {}

    static SelectorProvider get() {
        // Before Holder is initialized: a thread that initializes the JDK's default may be creating a provider of ours,
        // which needs Holder. If Holder then waited for that thread, both would wait forever.
        SelectorProvider.provider();
        return Holder.INSTANCE;
    }

    private static SelectorProvider find() {
        SelectorProvider common = SelectorProvider.provider(); // null while that creates the one of this package
        return common != null && common.getClass().getModule() == Object.class.getModule() ? common : make();
    }

    private static SelectorProvider make() {
        try {
            return Class.forName(NAME)
                    .asSubclass(SelectorProvider.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException notExported) {
            try {
                return (SelectorProvider) new Maker().service().newInstance(null);
            } catch (GeneralSecurityException e) {
                e.addSuppressed(notExported);
                throw new IllegalStateException(
                        "the JDK's own sockets are inaccessible; add "
                                + "--add-exports java.base/sun.nio.ch=ALL-UNNAMED (or "
                                + "dev.isthmus.nio instead of ALL-UNNAMED, if that is on the module path)",
                        e);
            }
        }
    }

    /** It is never installed. */
    private static final class Maker extends Provider {

        private static final long serialVersionUID = 1L;
        private static final String TYPE = "SelectorProvider";

        Maker() {
            super("Isthmus", "1", "the JDK's sockets");
            putService(new Service(this, TYPE, NAME, NAME, null, null));
        }

        Service service() {
            return getService(TYPE, NAME);
        }
    }
}
