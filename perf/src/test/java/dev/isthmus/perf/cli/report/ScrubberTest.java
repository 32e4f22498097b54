// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

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

    private final Scrubber scrubber =
            new Scrubber(Map.of("db-17", "[host]", "dev", "[host]", "/home/ann", "~", "ann", "[user]", "", "nothing"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node_guid: 0c42:a103:0087:1f2e|node_guid: [address]",
                "GID[  1]: fe80:0000:0000:0000:0e42:a1ff:fe87:1f2e, RoCE v2|GID[  1]: [address], RoCE v2",
                "GID fe80::e42:a1ff:fe87:1f2e|GID [address]",
                "GID ::ffff:192.168.7.4|GID [address]",
                "link/ether 0c:42:a1:87:1f:2e up|link/ether [address] up",
                "hardware 80:00:02:08:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:87:1f:2e.|hardware [address].",
                "board_id: MT_0000000359|board_id: [left out]",
                "on db-17, by ann|on [host], by [user]",
                "in /home/ann/src|in ~/src",
                "connect to 192.168.7.4:18515|connect to [address]:18515",
                "GID 0:0:0:0:0:ffff:10.9.8.7, RoCE v2|GID [address], RoCE v2",
                "GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:02|GID: [address]",
                "node_guid 0x0c42a10300871f2e|node_guid [address]",
                "port 0c42a10300871f2e: down|port [address]: down",
                "dgid fe800000000000000e42a1fffe871f2e|dgid [address]",
                "0c42:a103:0087:1f2e: no answer|[address]: no answer",
                "gid:fe80::e42:a1ff:fe87:1f2e%eth0|gid:[address]%eth0",
                "rocex0c42a10300871f2e on enx0c42a1871f2e|rocex[address] on enx[address]",
                "on db-17.rack4.example.com. As DB-17|on [host]. As [host]",
                "sysctl db-17.nr_hugepages=64|sysctl [host].nr_hugepages=64",
                "ann@db-17.example.com:/x|[user]@[host]:/x",
                "connect to 10.9.8.7 failed|connect to [address] failed",
                "from 10.9.8.7-10.9.8.8. 10.9.8.9|from [address]-[address]. [address]",
                "addr=10.9.8.7,rxe0_10.9.8.7|addr=[address],rxe0_[address]",
                "inet6 fe80::1/64, 2001:db8::/32|inet6 [address]/64, [address]/32",
                "to [2001:db8::1]:18515 or 2001:db8::1:18515|to [[address]]:18515 or [address]:18515",
                "fe80:0:0:0::1: unreachable|[address]: unreachable",
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
                "UcpWorker::close, Bad::get, std::vector, a :: b",
                "UCX 1.13.1, rdma-core 44.0-2, libibverbs.so.1.14.44.0, JDK 25.0.2.1+1, v1.2.3.4, 1.2.3.4.5",
                "fw_ver:\t\t\t\t228.0.109.0",
                "at 10:11:12, 10:11:12.345, after 1:02:03",
                "at dev.isthmus.perf.cli.Main.main(Main.java:10), java.lang.IllegalStateException: add",
                "max_mr_size:\t\t\t0xffffffffffffffff",
                "device_cap_flags_ex:\t\t0xC000005721361C36, timestamp_mask:\t0x7fffffffffffffff",
                "pci 0000:3b:00.1, device mlx5_0, core 0-3, 1234567890123456 ns, 0x7f12a3b4c5d6",
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
