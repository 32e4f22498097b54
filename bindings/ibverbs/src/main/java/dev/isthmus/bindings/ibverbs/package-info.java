/**
 * The FFM bindings of libibverbs ({@code infiniband/verbs.h}: class {@code verbs_h}) and librdmacm
 * ({@code rdma/rdma_cma.h}: class {@code rdma_cma_h}) as jextract generated them, for the module
 * {@code dev.isthmus} alone. Never edited: {@code bindings/generate} makes them anew, and
 * {@code bindings/README.md} says from what.
 *
 * <p>The classes of the structs are shared; each library is loaded when its own header class, or a struct
 * that only its own header declares, is first used. Two classes are written by hand, {@code pthread_mutex_t}
 * and {@code pthread_cond_t}: they are opaque in C too, and their size is the processor's.
 */
package dev.isthmus.bindings.ibverbs;
