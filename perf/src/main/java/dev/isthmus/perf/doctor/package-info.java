// SPDX-License-Identifier: Apache-2.0
/** {@code isthmus doctor}: what this machine lacks for which part of the library, and the command that mends it. */
package dev.isthmus.perf.doctor;
