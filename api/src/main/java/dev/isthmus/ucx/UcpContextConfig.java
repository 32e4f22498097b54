// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Filling;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The parameters of a {@link UcpContext}: {@code ucp_params_t} and {@code ucp_config_t}. Confined to one thread, inside
 * {@link UcpContext#create(java.util.function.Consumer)}.
 */
public final class UcpContextConfig {

    private static final String PREFIX = "UCX_";

    final Filling filling = new Filling();
    private final Map<String, String> settings = new LinkedHashMap<>();
    private Set<UcpFeature> features = EnumSet.of(UcpFeature.TAG);
    private String name = "";
    private long estimatedEndpoints;
    private long estimatedProcesses;
    private long tagSenderMask;

    UcpContextConfig() {}

    /**
     * Asks for features, instead of {@link UcpFeature#TAG} alone.
     *
     * @param requested the features; at least one
     * @return this
     * @throws IllegalArgumentException if there is none
     */
    public UcpContextConfig features(Collection<UcpFeature> requested) {
        filling.check();
        if (requested.isEmpty()) {
            throw new IllegalArgumentException("a context needs at least one feature, such as UcpFeature.TAG");
        }
        features = EnumSet.copyOf(requested);
        return this;
    }

    /**
     * Sets an option of UCX, and overrides the environment. {@code ucx_info -cf} lists and explains the options.
     *
     * <p>Before version 1.17, UCX takes the options of a transport, such as TCP_TX_SEG_SIZE, only from the environment, as
     * UCX_TCP_TX_SEG_SIZE. Here these versions take TX_SEG_SIZE, for all transports that have an option so named. What
     * the loaded version does not take, {@link UcpContext#create} refuses. The options of statistics and debugging, such
     * as LOG_LEVEL, are those of the environment when UCX was loaded: setting them here has no effect.
     *
     * @param key the option without {@code UCX_}, such as {@code TLS}
     * @param value its value, such as {@code posix,self}
     * @return this
     * @throws IllegalArgumentException if the key has the prefix
     */
    public UcpContextConfig set(String key, String value) {
        filling.check();
        if (key.startsWith(PREFIX)) {
            throw new IllegalArgumentException(
                    "the option " + key + " is set as " + key.substring(PREFIX.length()) + ", without " + PREFIX);
        }
        settings.put(key, value);
        return this;
    }

    /**
     * Names the context in messages, also in those of UCX.
     *
     * @param contextName any text
     * @return this
     */
    public UcpContextConfig name(String contextName) {
        filling.check();
        name = contextName;
        return this;
    }

    /**
     * Estimates how many endpoints there will be: {@code ucp_params_t::estimated_num_eps}. UCX then chooses transports
     * that scale to so many.
     *
     * @param count the approximate number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public UcpContextConfig estimatedEndpoints(long count) {
        filling.check();
        estimatedEndpoints = positive(count, "estimatedEndpoints");
        return this;
    }

    /**
     * Estimates how many processes of the program will run on each machine: {@code ucp_params_t::estimated_num_ppn}.
     * UCX then takes its share of what they have in common.
     *
     * @param count the approximate number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public UcpContextConfig estimatedProcessesPerNode(long count) {
        filling.check();
        estimatedProcesses = positive(count, "estimatedProcessesPerNode");
        return this;
    }

    /**
     * Sets which bits of a tag identify its sender: {@code ucp_params_t::tag_sender_mask}. UCX can then let a device
     * match the tags of receives that name one sender.
     *
     * @param mask ones in the bits of the sender
     * @return this
     */
    public UcpContextConfig tagSenderMask(long mask) {
        filling.check();
        tagSenderMask = mask;
        return this;
    }

    /**
     * The options that a context created now would have, from the environment and from {@link #set}:
     * {@code ucp_config_print}. It leaves out the options of transports; {@code ucx_info -c} has them.
     *
     * @param explained whether to explain each option, and include those that are seldom of use
     * @return lines of the form {@code UCX_TLS=all}
     * @throws IllegalArgumentException if UCX does not accept what was set
     */
    public String options(boolean explained) {
        return ContextCreation.print(settings, explained);
    }

    private static long positive(long count, String what) {
        if (count < 1) {
            throw new IllegalArgumentException(what + " is positive, and here is " + count);
        }
        return count;
    }

    long estimatedEndpoints() {
        return estimatedEndpoints;
    }

    long estimatedProcesses() {
        return estimatedProcesses;
    }

    long tagSenderMask() {
        return tagSenderMask;
    }

    Map<String, String> settings() {
        return settings;
    }

    Set<UcpFeature> features() {
        return features;
    }

    String name() {
        return name;
    }
}
