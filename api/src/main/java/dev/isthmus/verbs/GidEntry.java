package dev.isthmus.verbs;

/**
 * An entry of a port's GID table: {@code struct ibv_gid_entry}.
 *
 * @param port the number of the port, from 1
 * @param index its place in the table, which queue pairs are told
 * @param gid the GID
 * @param type the protocol that it stands for
 * @param netdevIndex the interface index of its network device, 0 when there is none (InfiniBand)
 */
public record GidEntry(int port, int index, Gid gid, GidType type, int netdevIndex) {}
