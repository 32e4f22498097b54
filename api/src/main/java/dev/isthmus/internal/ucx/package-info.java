// SPDX-License-Identifier: Apache-2.0
/** The UCX half of the native seam: loading, the functions of libucp, and which configuration keys exist. */
package dev.isthmus.internal.ucx;
