// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What identifies the machine is removed, and what a reader of a report needs stays. */
@Tag("unit")
class ScrubberTest {

    private final Scrubber scrubber = new Scrubber(Map.of(
            "fd00::5",
            "[address]",
            "db-17",
            "[host]",
            "/home/ann",
            "~",
            "192.168.7.4",
            "[address]",
            "ann",
            "[user]",
            "",
            "nothing"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node_guid: 0c42:a103:0087:1f2e|node_guid: [address]",
                "GID[  1]: fe80:0000:0000:0000:0e42:a1ff:fe87:1f2e, RoCE v2|GID[  1]: [address], RoCE v2",
                "GID fe80::e42:a1ff:fe87:1f2e|GID [address]",
                "GID ::ffff:192.168.7.4|GID ::ffff:[address]",
                "link/ether 0c:42:a1:87:1f:2e up|link/ether [address] up",
                "hardware 80:00:02:08:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:87:1f:2e.|hardware [address].",
                "board_id: MT_0000000359|board_id: [left out]",
                "on db-17, by ann|on [host], by [user]",
                "in /home/ann/src|in ~/src",
                "connect to 192.168.7.4:18515|connect to [address]:18515",
                "GID ::ffff:10.9.8.7, RoCE v2|GID ::ffff:[address], RoCE v2",
                "connect to 10.9.8.7:18515|connect to [address]:18515",
                "inet 10.9.8.7/24 scope global|inet [address]/24 scope global",
                "fd00:0:0:0:0:0:0:5, fd00::5|[address], [address]",
            })
    void shouldTakeOut(String text, String clean) {
        assertEquals(clean, scrubber.clean(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "libibverbs 1.14.44.0, kernel 6.1.0-56-amd64, Eclipse Adoptium 25.0.3+9-LTS",
                "fw_ver: 22.39.1002",
                "2026-11-25T03:12:01Z",
                "[12:34] annual figures of the db-170",
                "27.190..30.230   1.096",
                "a::b",
            })
    void shouldLeave(String text) {
        assertEquals(text, scrubber.clean(text));
    }

    @Test
    void shouldCleanAllTextsOfATree() throws Exception {
        var json = new ObjectMapper();
        assertEquals(
                json.readTree("{\"a\":[\"[host]\",1,{\"b\":\"~/x\"}]}"),
                scrubber.clean(json.readTree("{\"a\":[\"db-17\",1,{\"b\":\"/home/ann/x\"}]}")));
    }
}
