// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents show the samples as they are, so what a reader pastes compiles and runs. */
@Tag("unit")
class ReadmeTest {

    @ParameterizedTest
    @ValueSource(classes = {HelloVerbs.class, HelloUcx.class})
    void shouldShowTheSampleAsItIs(Class<?> sample) throws IOException {
        Documents.assertShows("README.md", sample, "README: begin", "README: end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs: listen", "docs: server", "docs: client"})
    void shouldShowHowToConnectAsTheSampleDoes(String part) throws IOException {
        Documents.assertShows("docs/connecting-without-rdma_cm.md", ConnectOverTcp.class, part, "docs: end");
    }
}
