// SPDX-License-Identifier: Apache-2.0
/** What {@code ibv_devinfo} tells about the machine's devices, told by Java: the same options and the same text. */
package dev.isthmus.perf.info;
