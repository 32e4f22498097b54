// SPDX-License-Identifier: Apache-2.0
/**
 * Queues of libmlx5, the driver of NVIDIA's ConnectX cards, that Java itself writes and polls: docs/connectx.md, "Straight
 * to the card". Not exported.
 */
package dev.isthmus.internal.mlx5;
