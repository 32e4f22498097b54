/** The seam to librdmacm. */
package dev.isthmus.internal.cm;
