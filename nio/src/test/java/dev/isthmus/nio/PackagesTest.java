// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.isthmus.nio.stream.Stream;
import dev.isthmus.verbs.Device;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streams know nothing of channels, and channels nothing of what streams are made of. */
@Tag("unit")
class PackagesTest {

    private static final String CHANNELS = RdmaSocketChannel.class.getPackageName();
    private static final String STREAMS = Stream.class.getPackageName();

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importPath(Path.of(RdmaSocketChannel.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath()));

    @Test
    void shouldHaveStreamsThatKnowNoChannels() {
        assertTrue(CLASSES.contain(Stream.class));
        noClasses()
                .that()
                .resideInAPackage(STREAMS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(CHANNELS)
                .check(CLASSES);
    }

    /** Devices and addresses are looked up there, but what carries data belongs to streams. */
    @Test
    void shouldHaveChannelsThatUseNoQueues() {
        noClasses()
                .that()
                .resideInAPackage(CHANNELS)
                .should()
                .dependOnClassesThat(resideInAPackage("dev.isthmus.verbs..").and(not(equivalentTo(Device.class))))
                .check(CLASSES);
    }
}
