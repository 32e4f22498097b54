// SPDX-License-Identifier: Apache-2.0
/** The seam to librdmacm. */
package dev.isthmus.internal.cm;
