// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import org.junit.jupiter.api.Tag;

@Tag("mpi")
@Ranks(value = 3, tcp = true)
class CollectivesOverTcpTest extends CollectivesTest {}
