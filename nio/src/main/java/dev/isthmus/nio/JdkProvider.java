// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.nio.channels.spi.SelectorProvider;
import java.security.GeneralSecurityException;
import java.security.Provider;

/**
 * The JDK's own channels, also where those of this package are the default: then {@link SelectorProvider#provider} does not
 * lead to them, and their package is not exported. The JDK makes an object of any public class of its own for a security
 * provider that names it, so no flag is needed; should that end, {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED} does.
 */
final class JdkProvider {

    private static final String NAME = "sun.nio.ch.EPollSelectorProvider";

    private static final class Holder {
        static final SelectorProvider INSTANCE = find();
    }

    private JdkProvider() {}

    static SelectorProvider get() {
        return Holder.INSTANCE;
    }

    private static SelectorProvider find() {
        SelectorProvider common = SelectorProvider.provider(); // null while that makes the one of this package
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
                        "the JDK's own sockets cannot be had; add --add-exports java.base/sun.nio.ch=ALL-UNNAMED (or "
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
