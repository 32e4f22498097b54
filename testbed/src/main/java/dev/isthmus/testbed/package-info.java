/** What the tests of all modules share: the runner of the tiers, and C programs for comparing Java with C. */
package dev.isthmus.testbed;
