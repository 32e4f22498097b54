/** What the tests of all modules share: the runner of the tiers, and C programs to compare Java with. */
package dev.isthmus.testbed;
