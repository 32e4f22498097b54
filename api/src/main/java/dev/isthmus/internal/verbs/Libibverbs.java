package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The exported functions of libibverbs that are called off the data path. The library must
 * be there: {@link IbverbsLibrary#require} comes first.
 *
 * <p>How each reports a failure stands in its line: N, returns NULL and sets errno; E, returns an error number; M,
 * returns -1 and sets errno; X, returns a negated error number.
 */
public final class Libibverbs {

    public static final NativeFunction GET_DEVICE_LIST = of("ibv_get_device_list", ADDRESS, ADDRESS); // N
    public static final NativeFunction FREE_DEVICE_LIST = ofVoid("ibv_free_device_list", ADDRESS);
    public static final NativeFunction GET_DEVICE_NAME = of("ibv_get_device_name", ADDRESS, ADDRESS);
    public static final NativeFunction GET_DEVICE_GUID = of("ibv_get_device_guid", JAVA_LONG, ADDRESS);
    public static final NativeFunction OPEN_DEVICE = of("ibv_open_device", ADDRESS, ADDRESS); // N
    public static final NativeFunction CLOSE_DEVICE = of("ibv_close_device", JAVA_INT, ADDRESS); // M
    public static final NativeFunction QUERY_DEVICE = of("ibv_query_device", JAVA_INT, ADDRESS, ADDRESS); // E
    public static final NativeFunction QUERY_PORT = of("ibv_query_port", JAVA_INT, ADDRESS, JAVA_BYTE, ADDRESS); // E
    public static final NativeFunction QUERY_GID_TABLE =
            of("_ibv_query_gid_table", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_LONG); // X
    public static final NativeFunction ALLOC_PD = of("ibv_alloc_pd", ADDRESS, ADDRESS); // N
    public static final NativeFunction DEALLOC_PD = of("ibv_dealloc_pd", JAVA_INT, ADDRESS); // E
    public static final NativeFunction REG_MR = of("ibv_reg_mr", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT); // N
    public static final NativeFunction DEREG_MR = of("ibv_dereg_mr", JAVA_INT, ADDRESS); // E
    public static final NativeFunction CREATE_CQ =
            of("ibv_create_cq", ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT); // N
    public static final NativeFunction DESTROY_CQ = of("ibv_destroy_cq", JAVA_INT, ADDRESS); // E
    public static final NativeFunction CREATE_QP = of("ibv_create_qp", ADDRESS, ADDRESS, ADDRESS); // N
    public static final NativeFunction MODIFY_QP = of("ibv_modify_qp", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT); // E
    public static final NativeFunction QUERY_QP =
            of("ibv_query_qp", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS); // E
    public static final NativeFunction DESTROY_QP = of("ibv_destroy_qp", JAVA_INT, ADDRESS); // E

    private Libibverbs() {}

    private static NativeFunction of(String name, MemoryLayout result, MemoryLayout... arguments) {
        return IbverbsLibrary.require().function(name, FunctionDescriptor.of(result, arguments));
    }

    private static NativeFunction ofVoid(String name, MemoryLayout... arguments) {
        return IbverbsLibrary.require().function(name, FunctionDescriptor.ofVoid(arguments));
    }
}
