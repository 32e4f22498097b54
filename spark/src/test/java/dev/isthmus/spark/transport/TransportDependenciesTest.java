// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The transport can be read, tested and used without Spark. */
@Tag("unit")
class TransportDependenciesTest {

    @Test
    void shouldKnowNothingOfSpark() {
        noClasses()
                .that()
                .resideInAPackage("dev.isthmus.spark.transport")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.isthmus.spark", "org.apache.spark..", "scala..")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackagesOf(Transport.class));
    }
}
