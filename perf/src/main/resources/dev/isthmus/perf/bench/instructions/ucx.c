// SPDX-License-Identifier: Apache-2.0
/*
 * The loops of UcxLoops.java in C, line by line: what is changed there is changed here.
 * Arguments: rows. Prints a line for each row: see blocks.h.
 */
#include "blocks.h"
#include <ucp/api/ucp.h>

enum { MAX_BYTES = 4096, TAG = 7, ID = 1, MAX_PAIRS = 8 };

/* Two workers of a context that has one feature, or one that is both, and what the loops over that feature need. */
struct pair {
    char transports[32];
    uint64_t feature;
    ucp_worker_h sender, receiver;
    ucp_ep_h endpoint, back;
    void *send_request, *receive_request;
    void *memory;
    ucp_rkey_h key;
};

static _Alignas(4096) char outgoing[MAX_BYTES], incoming[MAX_BYTES];
static struct pair *pair;
static int bytes;
static int arrived;

static void require_ok(ucs_status_t status, const char *what)
{
    if (status != UCS_OK) {
        fprintf(stderr, "%s: %s\n", what, ucs_status_string(status));
        exit(1);
    }
}

static int is_done(void *request)
{
    if (request == NULL)
        return 1;
    ucs_status_t status = ucp_request_check_status(request);
    if (status == UCS_INPROGRESS)
        return 0;
    require_ok(status, "request");
    return 1;
}

static void require_started(void *request, const char *what)
{
    if (UCS_PTR_IS_ERR(request))
        require_ok(UCS_PTR_STATUS(request), what);
}

static void progress_both(void)
{
    ucp_worker_progress(pair->sender);
    ucp_worker_progress(pair->receiver);
}

/* As Java, the memory of the requests is the program's: so UCX need not allocate it, and nothing is to be freed. */
static long long tags(int count)
{
    ucp_request_param_t send = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE,
        .request = pair->send_request, .datatype = ucp_dt_make_contig(1)};
    ucp_request_param_t receive = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
        .request = pair->receive_request, .datatype = ucp_dt_make_contig(1)};
    long long begin = now();
    for (int i = 0; i < count; i++) {
        void *received = ucp_tag_recv_nbx(pair->receiver, incoming, bytes, TAG, -1, &receive);
        require_started(received, "ucp_tag_recv_nbx");
        void *sent = ucp_tag_send_nbx(pair->endpoint, outgoing, bytes, TAG, &send);
        require_started(sent, "ucp_tag_send_nbx");
        while (!is_done(received) || !is_done(sent))
            progress_both();
    }
    return now() - begin;
}

static long long progresses(int count)
{
    long long begin = now();
    for (int i = 0; i < count; i++)
        ucp_worker_progress(pair->receiver);
    return now() - begin;
}

static long long streams(int count)
{
    ucp_request_param_t send = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE,
        .request = pair->send_request, .datatype = ucp_dt_make_contig(1)};
    ucp_request_param_t receive = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_FLAGS,
        .request = pair->receive_request, .datatype = ucp_dt_make_contig(1), .flags = UCP_STREAM_RECV_FLAG_WAITALL};
    long long begin = now();
    for (int i = 0; i < count; i++) {
        size_t length;
        void *received = ucp_stream_recv_nbx(pair->back, incoming, bytes, &length, &receive);
        require_started(received, "ucp_stream_recv_nbx");
        void *sent = ucp_stream_send_nbx(pair->endpoint, outgoing, bytes, &send);
        require_started(sent, "ucp_stream_send_nbx");
        while (!is_done(received) || !is_done(sent))
            progress_both();
    }
    return now() - begin;
}

static ucs_status_t on_message(void *argument, const void *header, size_t header_bytes, void *data, size_t length,
                               const ucp_am_recv_param_t *param)
{
    arrived++;
    return UCS_OK;
}

static long long messages(int count)
{
    ucp_request_param_t send = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE,
        .request = pair->send_request, .datatype = ucp_dt_make_contig(1)};
    long long begin = now();
    for (int i = 0; i < count; i++) {
        int before = arrived;
        void *sent = ucp_am_send_nbx(pair->endpoint, ID, NULL, 0, outgoing, bytes, &send);
        require_started(sent, "ucp_am_send_nbx");
        while (arrived == before || !is_done(sent))
            progress_both();
    }
    return now() - begin;
}

static long long put_loop(int count)
{
    ucp_request_param_t access = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE,
        .request = pair->send_request, .datatype = ucp_dt_make_contig(1)};
    long long begin = now();
    for (int i = 0; i < count; i++) {
        void *put = ucp_put_nbx(pair->endpoint, outgoing, bytes, (uint64_t)pair->memory, pair->key, &access);
        require_started(put, "ucp_put_nbx");
        while (!is_done(put))
            progress_both();
    }
    return now() - begin;
}

static long long get_loop(int count)
{
    ucp_request_param_t access = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_DATATYPE,
        .request = pair->send_request, .datatype = ucp_dt_make_contig(1)};
    long long begin = now();
    for (int i = 0; i < count; i++) {
        void *got = ucp_get_nbx(pair->endpoint, incoming, bytes, (uint64_t)pair->memory, pair->key, &access);
        require_started(got, "ucp_get_nbx");
        while (!is_done(got))
            progress_both();
    }
    return now() - begin;
}

static ucp_context_h create_context(const char *transports, uint64_t feature)
{
    ucp_config_t *config;
    require_ok(ucp_config_read(NULL, NULL, &config), "ucp_config_read");
    require_ok(ucp_config_modify(config, "TLS", transports), "TLS");
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = feature};
    ucp_context_h context;
    require_ok(ucp_init(&params, config, &context), "ucp_init");
    ucp_config_release(config);
    return context;
}

static ucp_worker_h create_worker(ucp_context_h context)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE, .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucp_worker_h worker;
    require_ok(ucp_worker_create(context, &params, &worker), "ucp_worker_create");
    return worker;
}

static ucp_ep_h create_endpoint(ucp_worker_h from, ucp_worker_h to)
{
    ucp_address_t *address;
    size_t length;
    require_ok(ucp_worker_get_address(to, &address, &length), "ucp_worker_get_address");
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = address};
    ucp_ep_h endpoint;
    require_ok(ucp_ep_create(from, &params, &endpoint), "ucp_ep_create");
    ucp_worker_release_address(to, address);
    return endpoint;
}

static void *request_memory(ucp_context_h context)
{
    ucp_context_attr_t attributes = {.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE};
    require_ok(ucp_context_query(context, &attributes), "ucp_context_query");
    size_t room = (attributes.request_size + 63) / 64 * 64;
    return (char *)aligned_alloc(64, room + 64) + room;
}

static void set_handler(ucp_worker_h worker)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB, .id = ID, .cb = on_message};
    require_ok(ucp_worker_set_am_recv_handler(worker, &param), "ucp_worker_set_am_recv_handler");
}

/* Memory of the receiver that the sender has a key to. */
static void allocate_memory(ucp_context_h context, struct pair *opened)
{
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = MAX_BYTES, .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_h memory;
    require_ok(ucp_mem_map(context, &params, &memory), "ucp_mem_map");
    ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    require_ok(ucp_mem_query(memory, &attributes), "ucp_mem_query");
    opened->memory = attributes.address;
    void *packed;
    size_t length;
    require_ok(ucp_rkey_pack(context, memory, &packed, &length), "ucp_rkey_pack");
    require_ok(ucp_ep_rkey_unpack(opened->endpoint, packed, &opened->key), "ucp_ep_rkey_unpack");
    ucp_rkey_buffer_release(packed);
}

/* Self is one worker that sends to itself; shared memory needs two. */
static void open_pair(struct pair *opened, const char *name, uint64_t feature)
{
    int self = strcmp(name, "self") == 0;
    ucp_context_h context = create_context(self ? "self" : "posix,self", feature);
    strcpy(opened->transports, name);
    opened->feature = feature;
    opened->sender = create_worker(context);
    opened->receiver = self ? opened->sender : create_worker(context);
    opened->endpoint = create_endpoint(opened->sender, opened->receiver);
    opened->send_request = request_memory(context);
    opened->receive_request = request_memory(context);
    if (feature == UCP_FEATURE_STREAM)
        opened->back = self ? opened->endpoint : create_endpoint(opened->receiver, opened->sender);
    if (feature == UCP_FEATURE_AM)
        set_handler(opened->receiver);
    if (feature == UCP_FEATURE_RMA)
        allocate_memory(context, opened);
}

static struct pair *find_pair(const char *transports, uint64_t feature)
{
    static struct pair pairs[MAX_PAIRS];
    struct pair *found = pairs;
    while (found->sender != NULL && (strcmp(found->transports, transports) != 0 || found->feature != feature))
        found++;
    if (found->sender == NULL)
        open_pair(found, transports, feature);
    return found;
}

/* A row is OPERATION:TRANSPORT:BYTES:OPERATIONS_PER_BLOCK. */
static void run(const char *row)
{
    static const struct {
        const char *name;
        uint64_t feature;
        long long (*loop)(int);
    } kinds[] = {
        {"progress", UCP_FEATURE_TAG, progresses}, {"tag", UCP_FEATURE_TAG, tags},
        {"stream", UCP_FEATURE_STREAM, streams}, {"am", UCP_FEATURE_AM, messages},
        {"put", UCP_FEATURE_RMA, put_loop}, {"get", UCP_FEATURE_RMA, get_loop}};
    char operation[32], transports[32];
    int operations;
    require(sscanf(row, "%31[^:]:%31[^:]:%d:%d", operation, transports, &bytes, &operations) == 4, row);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(operation, kinds[i].name) == 0) {
            pair = find_pair(transports, kinds[i].feature);
            if (kinds[i].loop == progresses)
                tags(1); /* UCX looks into shared memory from the first message on, as in Java, which has warmed up */
            measure(row, kinds[i].loop, operations, 1);
            return;
        }
    require(0, row);
}

int main(int argc, char **argv)
{
    have_second_thread();
    measure("clock", two_instructions, 1000000, 2);
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    return 0;
}
