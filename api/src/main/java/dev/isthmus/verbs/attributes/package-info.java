/**
 * What a device and its ports are, and what they can do: {@code struct ibv_device_attr}, {@code ibv_device_attr_ex} and
 * {@code ibv_port_attr}, with their flags and codes. Every device answers these queries; attributes that its driver
 * does not know are 0.
 *
 * <pre>{@code
 * try (var device = Device.first().open()) {
 *     var limits = device.attributes();
 *     System.out.println(limits.maxQp() + " queue pairs of " + limits.maxQpWr() + " requests; " + limits.capabilities());
 *     var more = device.extendedAttributes();
 *     System.out.println("on-demand paging: " + more.odp().general() + "; device memory: " + more.maxDmSize() + " bytes");
 *     var port = device.port(1);
 *     if (port.state() == PortState.ACTIVE) {
 *         System.out.println(port.linkLayer() + ", " + port.activeMtu().bytes() + " bytes a packet");
 *     }
 * }
 * }</pre>
 *
 * <p>All are values, as of the moment of the query. A {@code Code}, {@code Flags} or {@code Mask} in them is C's own
 * value, including what this version of Isthmus does not know; a method beside it gives the known constants.
 */
package dev.isthmus.verbs.attributes;
