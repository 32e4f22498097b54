/** What the tests of all modules share: the runner of the tiers, and C programs to hold Java against. */
package dev.isthmus.testbed;
