// SPDX-License-Identifier: Apache-2.0
/** Compares queue pairs that Java itself drives with those that libmlx5 drives, on a ConnectX. */
package dev.isthmus.perf.bench.direct;
