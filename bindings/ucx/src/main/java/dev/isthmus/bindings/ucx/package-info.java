/**
 * The FFM bindings of OpenUCX ({@code ucp/api/ucp.h}: class {@code ucp_h}) as jextract generated them, for the
 * module {@code dev.isthmus} alone. Never edited: {@code bindings/generate} makes them anew, and
 * {@code bindings/README.md} says from what.
 *
 * <p>The first use of a layout, a constant or a function here loads libucp, and with it libucs, which takes over
 * SIGSEGV unless the environment variable {@code UCX_ERROR_SIGNALS} is set to nothing. A JVM needs that signal for
 * itself and ends at the next null pointer that it meets, so {@code dev.isthmus} sees to that before.
 */
package dev.isthmus.bindings.ucx;
