/** The UCX half of the native seam: loading, the functions of libucp, and the configuration keys that exist. */
package dev.isthmus.internal.ucx;
