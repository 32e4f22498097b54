// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.isthmus.testbed.ChildProgram;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class DependenciesTest {

    @Test
    void shouldNeedNothingButItsBindings() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.isthmus.mpi", "dev.isthmus.bindings.mpi", "java..")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.isthmus.mpi"));
    }

    @Test
    void shouldHaveWhatTheScriptWrites() throws Exception {
        try (var check = new ChildProgram("python3", System.getProperty("isthmus.home") + "/mpi/generate", "--check")) {
            assertEquals(List.of(), check.ended());
        }
    }
}
