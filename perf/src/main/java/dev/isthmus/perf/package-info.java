// SPDX-License-Identifier: Apache-2.0
/** The commands of the launcher that are written in Java: perf, demo, compare, info, doctor. */
package dev.isthmus.perf;
