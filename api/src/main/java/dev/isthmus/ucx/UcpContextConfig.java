// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Filling;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a {@link UcpContext} is made with: {@code ucp_params_t} and {@code ucp_config_t}. Used by one thread, inside
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
     * Asks for features instead of {@link UcpFeature#TAG} alone.
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
     * Sets an option of UCX, over what the environment says. {@code ucx_info -cf} lists and explains them.
     *
     * <p>UCX 1.13 takes some options from the environment alone, as UCX_ and the key: those of statistics and debugging,
     * which it reads when it is loaded, and a few of transports, POSIX_ERROR_HANDLING for one. Setting them here is
     * without effect.
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
     * Names the context in messages, in those of UCX too.
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
     * Says how many endpoints there will be: {@code ucp_params_t::estimated_num_eps}. UCX then chooses transports that
     * bear so many.
     *
     * @param count about how many
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public UcpContextConfig estimatedEndpoints(long count) {
        filling.check();
        estimatedEndpoints = positive(count, "estimatedEndpoints");
        return this;
    }

    /**
     * Says how many processes of the program will run on each machine: {@code ucp_params_t::estimated_num_ppn}. UCX then
     * takes its part of what they share.
     *
     * @param count about how many
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public UcpContextConfig estimatedProcessesPerNode(long count) {
        filling.check();
        estimatedProcesses = positive(count, "estimatedProcessesPerNode");
        return this;
    }

    /**
     * Says which bits of a tag tell its sender: {@code ucp_params_t::tag_sender_mask}. UCX can then let a device match
     * tags whose receives name one sender.
     *
     * @param mask ones where the sender stands
     * @return this
     */
    public UcpContextConfig tagSenderMask(long mask) {
        filling.check();
        tagSenderMask = mask;
        return this;
    }

    /**
     * The options as a context would have them that is made now, those of the environment and of {@link #set}: {@code
     * ucp_config_print}. Those of transports are not among them; {@code ucx_info -c} has them.
     *
     * @param explained with what each option means, and with those that are seldom of use
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
