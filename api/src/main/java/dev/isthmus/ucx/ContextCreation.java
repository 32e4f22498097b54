// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_params;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxConfigKeys;
import dev.isthmus.internal.ucx.UcxLibrary;
import dev.isthmus.internal.ucx.UcxText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/** The steps from a {@link UcpContextConfig} to {@code ucp_init}: options are read, changed, printed and checked. */
final class ContextCreation {

    private ContextCreation() {}

    /** Creates the context, and returns its handle. */
    static long create(UcpContextConfig config, String name) {
        try (var call = new UcpCall()) {
            long options = readOptions(call, config.settings());
            try {
                int[] version = UcxLibrary.compatibleVersion();
                MemorySegment out = call.allocate(ValueLayout.JAVA_LONG);
                MemorySegment params = parameters(call, config, name);
                int status = call.integer8(Libucp.INIT_VERSION, version[0], version[1], params, options, out);
                UcxFailure.check(status, "ucp_init", name + ", " + config.features() + ", " + config.settings());
                long context = out.get(ValueLayout.JAVA_LONG, 0);
                return Lifetime.orDestroy(
                        () -> {
                            refuseWithoutEffect(config.settings());
                            return context;
                        },
                        () -> UcpCall.run(Libucp.CLEANUP, context));
            } finally {
                call.nothing(Libucp.CONFIG_RELEASE, options);
            }
        }
    }

    /** The options in the format of {@code ucp_config_print}. */
    static String print(Map<String, String> settings, boolean explained) {
        UcxLibrary.load(); // before the generated classes
        int flags = ucp_h.UCS_CONFIG_PRINT_CONFIG()
                | (explained ? ucp_h.UCS_CONFIG_PRINT_DOC() | ucp_h.UCS_CONFIG_PRINT_HIDDEN() : 0);
        try (var call = new UcpCall()) {
            long options = readOptions(call, settings);
            try {
                return UcxText.of(
                        stream -> call.nothing(Libucp.CONFIG_PRINT, options, stream, call.allocateFrom(""), flags));
            } finally {
                call.nothing(Libucp.CONFIG_RELEASE, options);
            }
        }
    }

    private static MemorySegment parameters(UcpCall call, UcpContextConfig config, String name) {
        MemorySegment params = ucp_params.allocate(call);
        long mask = ucp_h.UCP_PARAM_FIELD_FEATURES()
                | ucp_h.UCP_PARAM_FIELD_MT_WORKERS_SHARED()
                | ucp_h.UCP_PARAM_FIELD_NAME();
        long features = 0;
        for (UcpFeature feature : config.features()) {
            features |= feature.bit();
        }
        ucp_params.features(params, features);
        // Always, as a worker on a second thread would otherwise race in C. This locks set-up and registration only.
        ucp_params.mt_workers_shared(params, 1);
        ucp_params.name(params, call.allocateFrom(name));
        if (config.estimatedEndpoints() > 0) {
            mask |= ucp_h.UCP_PARAM_FIELD_ESTIMATED_NUM_EPS();
            ucp_params.estimated_num_eps(params, config.estimatedEndpoints());
        }
        if (config.estimatedProcesses() > 0) {
            mask |= ucp_h.UCP_PARAM_FIELD_ESTIMATED_NUM_PPN();
            ucp_params.estimated_num_ppn(params, config.estimatedProcesses());
        }
        if (config.tagSenderMask() != 0) {
            mask |= ucp_h.UCP_PARAM_FIELD_TAG_SENDER_MASK();
            ucp_params.tag_sender_mask(params, config.tagSenderMask());
        }
        ucp_params.field_mask(params, mask);
        return params;
    }

    private static long readOptions(UcpCall call, Map<String, String> settings) {
        long options = call.create(Libucp.CONFIG_READ, "the environment", MemorySegment.NULL, MemorySegment.NULL);
        return Lifetime.orDestroy(
                () -> {
                    settings.forEach((key, value) -> modify(call, options, key, value));
                    return options;
                },
                () -> call.nothing(Libucp.CONFIG_RELEASE, options));
    }

    private static void modify(UcpCall call, long options, String key, String value) {
        int status = call.integer8(Libucp.CONFIG_MODIFY, options, call.allocateFrom(key), call.allocateFrom(value));
        if (status != 0) {
            throw new IllegalArgumentException("UCX does not accept " + key + "=" + value + ": "
                    + UcsStatus.describe(status) + "; ucx_info -cf explains the option");
        }
    }

    private static void refuseWithoutEffect(Map<String, String> settings) {
        if (settings.isEmpty()) {
            return;
        }
        var keys = new UcxConfigKeys(UcxConfigKeys.ofOptions(print(Map.of(), true)));
        for (String key : settings.keySet()) {
            String refusal = keys.refusal(key);
            if (refusal != null) {
                throw new IllegalArgumentException(refusal);
            }
        }
    }
}
