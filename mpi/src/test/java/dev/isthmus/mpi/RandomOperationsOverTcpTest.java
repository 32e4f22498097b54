// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import org.junit.jupiter.api.Tag;

@Tag("mpi")
@Ranks(value = 3, seconds = 600, tcp = true)
class RandomOperationsOverTcpTest extends RandomOperationsTest {}
