/**
 * Sockets over RDMA for a program that knows nothing of it: {@code java -javaagent:isthmus-agent.jar -jar program.jar}.
 */
package dev.isthmus.agent;
