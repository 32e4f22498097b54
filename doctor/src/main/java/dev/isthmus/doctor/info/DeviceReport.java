// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.TransportType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/** Prints a device like ibv_devinfo. */
record DeviceReport(AttributeLines lines, boolean verbose) {

    /** Prints a device and its ports, or only one. If it has no such port, nothing is printed. */
    void print(Device device, OptionalInt onlyPort) throws IOException {
        try (DeviceContext context = device.open()) {
            onlyPort.ifPresent(context::port); // throws for a missing port before anything is printed
            DeviceAttributes attributes = context.attributes();
            printHead(device, attributes);
            if (verbose) {
                printLimits(attributes);
                new CapabilityReport(lines).print(context.extendedAttributes());
                lines.attribute("num_comp_vectors:\t\t", context.completionVectors());
            }
            var ports = new PortReport(lines);
            for (int port = 1; port <= attributes.physPortCount(); port++) {
                if (port == onlyPort.orElse(port)) {
                    ports.print(context, port, verbose);
                }
            }
        }
    }

    private void printHead(Device device, DeviceAttributes attributes) throws IOException {
        TransportType transport = device.transportType();
        lines.line("hca_id:\t%s", device.name());
        lines.line("\ttransport:\t\t\t%s (%d)", Words.of(transport), transport.code());
        if (!attributes.fwVersion().isEmpty()) {
            lines.attribute("fw_ver:\t\t\t\t", attributes.fwVersion());
        }
        lines.attribute("node_guid:\t\t\t", Words.ofGuid(attributes.nodeGuid()));
        lines.attribute("sys_image_guid:\t\t\t", Words.ofGuid(attributes.sysImageGuid()));
        lines.line("\tvendor_id:\t\t\t0x%04x", attributes.vendorId());
        lines.attribute("vendor_part_id:\t\t\t", attributes.vendorPartId());
        lines.line("\thw_ver:\t\t\t\t0x%X", attributes.hwVersion());
        boardId(device).ifPresent(id -> lines.attribute("board_id:\t\t\t", id));
        lines.attribute("phys_port_cnt:\t\t\t", attributes.physPortCount());
    }

    private static Optional<String> boardId(Device device) throws IOException {
        Path file = device.ibdevPath().resolve("board_id");
        try {
            return Optional.of(Files.readString(file).stripTrailing()).filter(id -> !id.isEmpty());
        } catch (NoSuchFileException e) {
            return Optional.empty(); // not every driver has it
        }
    }

    private void printLimits(DeviceAttributes attributes) {
        lines.line("\tmax_mr_size:\t\t\t0x%x", attributes.maxMrSize());
        lines.line("\tpage_size_cap:\t\t\t0x%x", attributes.pageSizeCap());
        lines.attribute("max_qp:\t\t\t\t", attributes.maxQp());
        lines.attribute("max_qp_wr:\t\t\t", attributes.maxQpWr());
        lines.line("\tdevice_cap_flags:\t\t0x%08x", attributes.deviceCapFlags());
        lines.flags("", attributes.capabilities());
        lines.unknownFlags(CapabilityReport.unknown(attributes));
        lines.attribute("max_sge:\t\t\t", attributes.maxSge());
        lines.attribute("max_sge_rd:\t\t\t", attributes.maxSgeRd());
        lines.attribute("max_cq:\t\t\t\t", attributes.maxCq());
        lines.attribute("max_cqe:\t\t\t", attributes.maxCqe());
        lines.attribute("max_mr:\t\t\t\t", attributes.maxMr());
        lines.attribute("max_pd:\t\t\t\t", attributes.maxPd());
        lines.attribute("max_qp_rd_atom:\t\t\t", attributes.maxQpRdAtomic());
        lines.attribute("max_ee_rd_atom:\t\t\t", attributes.maxEeRdAtomic());
        lines.attribute("max_res_rd_atom:\t\t", attributes.maxResRdAtomic());
        lines.attribute("max_qp_init_rd_atom:\t\t", attributes.maxQpInitRdAtomic());
        lines.attribute("max_ee_init_rd_atom:\t\t", attributes.maxEeInitRdAtomic());
        lines.line("\tatomic_cap:\t\t\t%s (%d)", Words.of(attributes.atomicCap()), attributes.atomicCapCode());
        printObjects(attributes);
    }

    private void printObjects(DeviceAttributes attributes) {
        lines.attribute("max_ee:\t\t\t\t", attributes.maxEe());
        lines.attribute("max_rdd:\t\t\t", attributes.maxRdd());
        lines.attribute("max_mw:\t\t\t\t", attributes.maxMw());
        lines.attribute("max_raw_ipv6_qp:\t\t", attributes.maxRawIpv6Qp());
        lines.attribute("max_raw_ethy_qp:\t\t", attributes.maxRawEthernetQp());
        lines.attribute("max_mcast_grp:\t\t\t", attributes.maxMulticastGroups());
        lines.attribute("max_mcast_qp_attach:\t\t", attributes.maxMulticastQpAttach());
        lines.attribute("max_total_mcast_qp_attach:\t", attributes.maxTotalMulticastQpAttach());
        lines.attribute("max_ah:\t\t\t\t", attributes.maxAh());
        lines.attribute("max_fmr:\t\t\t", attributes.maxFmr());
        if (attributes.maxFmr() != 0) {
            lines.attribute("max_map_per_fmr:\t\t", attributes.maxMapPerFmr());
        }
        lines.attribute("max_srq:\t\t\t", attributes.maxSrq());
        if (attributes.maxSrq() != 0) {
            lines.attribute("max_srq_wr:\t\t\t", attributes.maxSrqWr());
            lines.attribute("max_srq_sge:\t\t\t", attributes.maxSrqSge());
        }
        lines.attribute("max_pkeys:\t\t\t", attributes.maxPkeys());
        lines.attribute("local_ca_ack_delay:\t\t", attributes.localCaAckDelay());
    }
}
