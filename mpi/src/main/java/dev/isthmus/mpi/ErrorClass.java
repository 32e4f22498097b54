// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

/** The error classes of the standard, {@code MPI_ERR_BUFFER} and so on, with what usually helps. */
public enum ErrorClass {
    /** A class that this library does not know: an implementation's own, or the program's. */
    UNKNOWN_CLASS(-1, ""),
    /** {@code MPI_ERR_BUFFER}. */
    BUFFER(1, "buffered sends need attachBuffer with BSEND_OVERHEAD for each message"),
    /** {@code MPI_ERR_COUNT}. */
    COUNT(2, ""),
    /** {@code MPI_ERR_TYPE}. */
    TYPE(3, ""),
    /** {@code MPI_ERR_TAG}. */
    TAG(4, "tags are 0 to Mpi.tagUpperBound()"),
    /** {@code MPI_ERR_COMM}. */
    COMM(5, ""),
    /** {@code MPI_ERR_RANK}. */
    RANK(6, "ranks are 0 to size() - 1, of the remote group in an intercommunicator"),
    /** {@code MPI_ERR_REQUEST}. */
    REQUEST(7, ""),
    /** {@code MPI_ERR_ROOT}. */
    ROOT(8, ""),
    /** {@code MPI_ERR_GROUP}. */
    GROUP(9, ""),
    /** {@code MPI_ERR_OP}. */
    OP(10, "the operation is not defined for this datatype"),
    /** {@code MPI_ERR_TOPOLOGY}. */
    TOPOLOGY(11, "the communicator has no topology of that kind"),
    /** {@code MPI_ERR_DIMS}. */
    DIMS(12, ""),
    /** {@code MPI_ERR_ARG}. */
    ARG(13, ""),
    /** {@code MPI_ERR_UNKNOWN}. */
    UNKNOWN(14, ""),
    /** {@code MPI_ERR_TRUNCATE}. */
    TRUNCATE(15, "the message is longer than the buffer that receives it: probe first, or take a larger buffer"),
    /** {@code MPI_ERR_OTHER}. */
    OTHER(16, ""),
    /** {@code MPI_ERR_INTERN}. */
    INTERN(17, ""),
    /** {@code MPI_ERR_PENDING}. */
    PENDING(18, ""),
    /** {@code MPI_ERR_IN_STATUS}. */
    IN_STATUS(19, "each request has its own error in its status, if statuses are not ignored"),
    /** {@code MPI_ERR_ACCESS}. */
    ACCESS(20, "the file's permissions forbid this"),
    /** {@code MPI_ERR_AMODE}. */
    AMODE(21, "a file is opened with one of RDONLY, WRONLY and RDWR; RDONLY goes with neither CREATE nor EXCL"),
    /** {@code MPI_ERR_ASSERT}. */
    ASSERT(22, ""),
    /** {@code MPI_ERR_BAD_FILE}. */
    BAD_FILE(23, ""),
    /** {@code MPI_ERR_BASE}. */
    BASE(24, ""),
    /** {@code MPI_ERR_CONVERSION}. */
    CONVERSION(25, ""),
    /** {@code MPI_ERR_DISP}. */
    DISP(26, ""),
    /** {@code MPI_ERR_DUP_DATAREP}. */
    DUP_DATAREP(27, ""),
    /** {@code MPI_ERR_FILE_EXISTS}. */
    FILE_EXISTS(28, "EXCL refuses a file that is there"),
    /** {@code MPI_ERR_FILE_IN_USE}. */
    FILE_IN_USE(29, ""),
    /** {@code MPI_ERR_FILE}. */
    FILE(30, ""),
    /** {@code MPI_ERR_INFO_KEY}. */
    INFO_KEY(31, ""),
    /** {@code MPI_ERR_INFO_NOKEY}. */
    INFO_NOKEY(32, ""),
    /** {@code MPI_ERR_INFO_VALUE}. */
    INFO_VALUE(33, ""),
    /** {@code MPI_ERR_INFO}. */
    INFO(34, ""),
    /** {@code MPI_ERR_IO}. */
    IO(35, ""),
    /** {@code MPI_ERR_KEYVAL}. */
    KEYVAL(36, ""),
    /** {@code MPI_ERR_LOCKTYPE}. */
    LOCKTYPE(37, ""),
    /** {@code MPI_ERR_NAME}. */
    NAME(38, "nobody has published this name"),
    /** {@code MPI_ERR_NO_MEM}. */
    NO_MEM(39, ""),
    /** {@code MPI_ERR_NOT_SAME}. */
    NOT_SAME(40, "all ranks must give a collective call the same arguments"),
    /** {@code MPI_ERR_NO_SPACE}. */
    NO_SPACE(41, "the disk is full"),
    /** {@code MPI_ERR_NO_SUCH_FILE}. */
    NO_SUCH_FILE(42, "open with CREATE makes it"),
    /** {@code MPI_ERR_PORT}. */
    PORT(43, ""),
    /** {@code MPI_ERR_QUOTA}. */
    QUOTA(44, ""),
    /** {@code MPI_ERR_READ_ONLY}. */
    READ_ONLY(45, ""),
    /** {@code MPI_ERR_RMA_ATTACH}. */
    RMA_ATTACH(46, ""),
    /** {@code MPI_ERR_RMA_CONFLICT}. */
    RMA_CONFLICT(47, ""),
    /** {@code MPI_ERR_RMA_RANGE}. */
    RMA_RANGE(48, "the target's window does not reach that far"),
    /** {@code MPI_ERR_RMA_SHARED}. */
    RMA_SHARED(49, "the processes share no memory: splitType(SHARED) finds those that do"),
    /** {@code MPI_ERR_RMA_SYNC}. */
    RMA_SYNC(50, "a one-sided operation needs an epoch: fence, start or lock first"),
    /** {@code MPI_ERR_SERVICE}. */
    SERVICE(51, ""),
    /** {@code MPI_ERR_SIZE}. */
    SIZE(52, ""),
    /** {@code MPI_ERR_SPAWN}. */
    SPAWN(53, ""),
    /** {@code MPI_ERR_UNSUPPORTED_DATAREP}. */
    UNSUPPORTED_DATAREP(54, "every MPI knows native; few know external32 and internal"),
    /** {@code MPI_ERR_UNSUPPORTED_OPERATION}. */
    UNSUPPORTED_OPERATION(55, "this implementation does not have it"),
    /** {@code MPI_ERR_WIN}. */
    WIN(56, ""),
    /** {@code MPI_ERR_RMA_FLAVOR}. */
    RMA_FLAVOR(57, "the window was not made by the call that this needs"),
    /** {@code MPI_ERR_PROC_ABORTED}. */
    PROC_ABORTED(58, "a peer has ended"),
    /** {@code MPI_ERR_VALUE_TOO_LARGE}. */
    VALUE_TOO_LARGE(59, ""),
    /** {@code MPI_ERR_SESSION}. */
    SESSION(60, ""),
    /** {@code MPI_ERR_ERRHANDLER}. */
    ERRHANDLER(61, ""),
    /** {@code MPI_ERR_ABI}. */
    ABI(62, "");

    private final int number;
    private final String help;

    ErrorClass(int number, String help) {
        this.number = number;
        this.help = help;
    }

    /**
     * The number of the class.
     *
     * @return as in {@code mpi_abi.h}, or -1
     */
    public int number() {
        return number;
    }

    String help() {
        return help;
    }

    static ErrorClass of(int number) {
        return number > 0 && number < values().length ? values()[number] : UNKNOWN_CLASS;
    }
}
