// SPDX-License-Identifier: Apache-2.0
/** Somebody's program. */
module com.example.consumer {
    requires dev.isthmus;
}
