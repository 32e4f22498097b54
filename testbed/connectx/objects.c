// SPDX-License-Identifier: Apache-2.0
/* All objects of this process, by number. A number is used again only when all others have been. */
#include "connectx.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 0x100, MOST = 1 << 20 }; /* MLX5_INVALID_LKEY is the key of a smaller one */

static struct object **objects;
static uint32_t last = FIRST - 1, end = FIRST;

void object_add(struct object *object, enum kind kind, struct context *context)
{
	uint32_t handle = last + 1;

	if (!objects)
		objects = calloc(MOST, sizeof(struct object *)); /* of which only the pages in use cost memory */
	while (handle >= MOST || objects[handle])
		handle = handle >= MOST ? FIRST : handle + 1;
	objects[handle] = object;
	object->kind = kind;
	object->handle = last = handle;
	object->context = context;
	end = handle >= end ? handle + 1 : end;
}

struct object *object_find(uint32_t handle, enum kind kind, const struct context *context)
{
	struct object *object = objects && handle < MOST ? objects[handle] : NULL;

	return object && object->kind == kind && (!context || object->context == context) ? object : NULL;
}

struct object *object_next(uint32_t *handle, enum kind kind)
{
	for (uint32_t at = *handle ? *handle + 1 : FIRST; at < end; at++)
		if (objects[at] && objects[at]->kind == kind) {
			*handle = at;
			return objects[at];
		}
	return NULL;
}

void object_free(struct object *object)
{
	objects[object->handle] = NULL;
	while (end > FIRST && !objects[end - 1])
		end--;
	free(object);
}

static struct qp *qps[1 << QP_INDEX_BITS];

bool qp_add_number(struct qp *qp)
{
	static uint32_t index;
	const uint32_t mask = (1 << QP_INDEX_BITS) - 1;

	for (uint32_t tried = 0; tried < mask; tried++) {
		index = (index + 1) & mask;
		if (!index || qps[index])
			continue;
		qps[index] = qp;
		qp->qpn = wire_number() << QP_INDEX_BITS | index;
		return true;
	}
	return false;
}

void qp_remove_number(const struct qp *qp)
{
	qps[qp->qpn & ((1 << QP_INDEX_BITS) - 1)] = NULL;
}

struct qp *qp_find(uint32_t qpn)
{
	return qpn >> QP_INDEX_BITS == wire_number() ? qps[qpn & ((1 << QP_INDEX_BITS) - 1)] : NULL;
}
