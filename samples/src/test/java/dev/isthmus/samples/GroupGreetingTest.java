// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class GroupGreetingTest {

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        List<SamplesPage.Command> commands = SamplesPage.commands("GroupGreeting");
        String near = DeviceAddress.first().getHostAddress();
        String far = DeviceAddress.last().getHostAddress();
        List<String> printed = Output.of(() -> {
            Future<Void> listening =
                    Task.start(() -> GroupGreeting.main(commands.getFirst().with(far)));
            Output.await("joined 239.1.2.3");
            GroupGreeting.main(commands.getLast().with(near));
            listening.get();
        });
        SamplesPage.assertPrint(printed, "GroupGreeting");
    }
}
