/*
 * A small library with the functions of OpenBLAS, of Accelerate, and of oneDNN for
 * float32, that package accel calls. It checks what it is given and multiplies by plain
 * loops. Macros leave functions out or make them fail:
 *
 *   NO_SGEMV         cblas_sgemv is missing
 *   NO_BNNS          the functions of BNNS are missing
 *   NO_VERSION       the versions are null pointers
 *   ILP64            it says that its integers have 64 bits
 *   THREADS=n        it says that it has so many threads
 *   GARBAGE          products are wrong
 *   GARBAGE_ABOVE=k  products are wrong with more inputs
 *   BNNS_NO_MATMUL   BNNSMatMul refuses what it is given
 *   BNNS_NO_INT8     no fully connected layer is made
 *   BNNS_APPLY_FAILS the fully connected layer fails when it is applied, once a layer
 *                    with more than 256 inputs was
 *   AT_LOAD=f        f is called when it is loaded, IN_CALL=f when it multiplies:
 *
 *   die, crash, quit, hang, print, leave_a_process
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the functions of the last call found wrong; "" if nothing. */
static char complaint[256];

const char *vendor_complaint(void) { return complaint; }

#define WANT(condition) \
	do { \
		if (!(condition)) { \
			snprintf(complaint, sizeof complaint, "%s: not %s", __func__, #condition); \
			return -1; \
		} \
	} while (0)

static void die(void) {
	fputs("vendor: this processor is not supported\n", stderr);
	abort();
}

static void crash(void) { *(volatile int *)8 = 1; }

static void quit(void) { exit(0); }

static void hang(void) {
	for (;;)
		pause();
}

/* 10 MB on each stream. */
static void print(void) {
	static char text[10000001];
	memset(text, 'x', sizeof text - 1);
	fputs(text, stdout);
	fflush(stdout);
	fputs(text, stderr);
}

static void leave_a_process(void) {
	if (fork() == 0) {
		sleep(10);
		_exit(0);
	}
}

#ifdef AT_LOAD
__attribute__((constructor)) static void at_load(void) { AT_LOAD(); }
#endif

/* How many callers are in multiply, and were at most. */
static int callers, most_callers;

int vendor_most_callers(void) { return most_callers; }

static void enter_call(void) {
	int now = __atomic_add_fetch(&callers, 1, __ATOMIC_SEQ_CST);
	int most = __atomic_load_n(&most_callers, __ATOMIC_SEQ_CST);
	while (now > most && !__atomic_compare_exchange_n(&most_callers, &most, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static void leave_call(void) { __atomic_sub_fetch(&callers, 1, __ATOMIC_SEQ_CST); }

/* y[i,j] = sum over p of x[i,p] w[p,j], with the distances between neighbours. */
static void multiply(size_t m, size_t n, size_t k, const float *x, size_t xi, size_t xp,
                     const float *w, size_t wp, size_t wj, float *y, size_t yi) {
#ifdef IN_CALL
	IN_CALL();
#endif
	enter_call();
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++) {
			float sum = 0;
			for (size_t p = 0; p < k; p++)
				sum += x[i * xi + p * xp] * w[p * wp + j * wj];
#ifdef GARBAGE
			sum = 0;
#endif
#ifdef GARBAGE_ABOVE
			if (k > GARBAGE_ABOVE)
				sum = 0;
#endif
			y[i * yi + j] = sum;
		}
	leave_call();
}

/* -------------------------------- OpenBLAS -------------------------------- */

#if defined(NO_VERSION)
const char *openblas_get_config(void) { return NULL; }
#elif defined(ILP64)
const char *openblas_get_config(void) { return "OpenBLAS 9.8.7 USE64BITINT MAX_THREADS=3"; }
#else
const char *openblas_get_config(void) { return "OpenBLAS 9.8.7 DYNAMIC_ARCH MAX_THREADS=3"; }
#endif

const char *openblas_get_corename(void) { return "Fake"; }

int openblas_get_num_threads(void) {
#ifdef THREADS
	return THREADS;
#endif
	const char *n = getenv("OPENBLAS_NUM_THREADS");
	return n ? atoi(n) : 99;
}

int openblas_get_parallel(void) { return 1; }

/* ---------------------------------- BLAS ---------------------------------- */

static int check_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                       int lda, int ldb, float beta, int ldc) {
	WANT(order == 101 && trans_a == 111 && trans_b == 111);
	WANT(m > 1 && n > 0 && k > 0);
	WANT(alpha == 1 && beta == 0);
	WANT(lda >= k && ldb >= n && ldc >= n);
	return 0;
}

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc) {
	if (check_sgemm(order, trans_a, trans_b, m, n, k, alpha, lda, ldb, beta, ldc) == 0)
		multiply(m, n, k, a, lda, 1, b, ldb, 1, c, ldc);
}

#ifndef NO_SGEMV
static int check_sgemv(int order, int trans, int m, int n, float alpha, int lda, int inc_x,
                       float beta, int inc_y) {
	WANT(order == 101 && trans == 112);
	WANT(m > 0 && n > 0 && lda == n);
	WANT(alpha == 1 && beta == 0);
	WANT(inc_x == 1 && inc_y == 1);
	return 0;
}

/* y[n] = transposed a[m,n] times x[m] */
void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                 const float *x, int inc_x, float beta, float *y, int inc_y) {
	if (check_sgemv(order, trans, m, n, alpha, lda, inc_x, beta, inc_y) == 0)
		multiply(1, n, m, x, 0, 1, a, lda, 1, y, 0);
}
#endif

/* --------------------------------- oneDNN --------------------------------- */

typedef struct {
	int major, minor, patch;
	const char *hash;
	unsigned cpu_runtime, gpu_runtime;
} dnnl_version_t;

const dnnl_version_t *dnnl_version(void) {
#ifdef NO_VERSION
	return NULL;
#endif
	static const dnnl_version_t version = {9, 8, 7, "", 2, 0};
	return &version;
}

int omp_get_max_threads(void) { return openblas_get_num_threads(); }

int dnnl_sgemm(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
               const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
	WANT(trans_a == 'N' && trans_b == 'N');
	WANT(m > 0 && n > 0 && k > 0);
	WANT(alpha == 1 && beta == 0);
	WANT(lda >= k && ldb == n && ldc >= n);
	multiply(m, n, k, a, lda, 1, b, ldb, 1, c, ldc);
	return 0;
}

/* ---------------------------------- BNNS ---------------------------------- */

typedef struct {
	uint32_t flags;
	uint32_t layout;
	size_t size[8];
	size_t stride[8];
	void *data;
	uint32_t data_type;
	void *table_data;
	uint32_t table_data_type;
	float data_scale;
	float data_bias;
} array_descriptor;

typedef struct {
	uint32_t function;
	float alpha, beta;
	int32_t iscale, ioffset, ishift;
	const int32_t *iscale_per_channel, *ioffset_per_channel, *ishift_per_channel;
} activation;

typedef struct {
	array_descriptor i_desc, w_desc, o_desc, bias;
	activation activation;
} fully_connected_parameters;

typedef struct {
	uint32_t flags;
	size_t n_threads;
	int (*alloc_memory)(void **, size_t, size_t);
	void (*free_memory)(void *);
} filter_parameters;

/* The sizes and offsets that a C compiler gives the structs, in order, 0 at the end. */
const size_t *vendor_layout(void) {
	static const size_t layout[] = {
		sizeof(array_descriptor),
		offsetof(array_descriptor, layout), offsetof(array_descriptor, size), offsetof(array_descriptor, stride),
		offsetof(array_descriptor, data), offsetof(array_descriptor, data_type), offsetof(array_descriptor, table_data),
		offsetof(array_descriptor, table_data_type), offsetof(array_descriptor, data_scale), offsetof(array_descriptor, data_bias),
		sizeof(activation),
		offsetof(activation, alpha), offsetof(activation, beta), offsetof(activation, iscale),
		offsetof(activation, ioffset), offsetof(activation, ishift), offsetof(activation, iscale_per_channel),
		offsetof(activation, ioffset_per_channel), offsetof(activation, ishift_per_channel),
		sizeof(fully_connected_parameters),
		offsetof(fully_connected_parameters, w_desc), offsetof(fully_connected_parameters, o_desc),
		offsetof(fully_connected_parameters, bias), offsetof(fully_connected_parameters, activation),
		sizeof(filter_parameters),
		offsetof(filter_parameters, n_threads), offsetof(filter_parameters, alloc_memory), offsetof(filter_parameters, free_memory),
		0,
	};
	return layout;
}

static int threading;

int BLASSetThreading(unsigned value) {
	threading = value;
	return 0;
}

unsigned BLASGetThreading(void) { return threading; }

#ifndef NO_BNNS
enum { FLOAT32 = 0x10020, INT8 = 0x20008, VECTOR = 0x10000, ROW_MAJOR = 0x20000 };

static int plain(const array_descriptor *d, uint32_t layout, uint32_t type, int dimensions) {
	WANT(d->flags == 0);
	WANT(d->layout == layout);
	WANT(d->data_type == type);
	WANT(d->table_data == NULL && d->table_data_type == 0);
	WANT(d->data_bias == 0);
	for (int i = 0; i < 8; i++)
		WANT((d->size[i] != 0) == (i < dimensions));
	if (d->stride[0] != 0)
		WANT(d->stride[0] == 1 && d->stride[1] >= d->size[0]);
	for (int i = d->stride[0] != 0 ? 2 : 0; i < 8; i++)
		WANT(d->stride[i] == 0);
	return 0;
}

static int check_params(const filter_parameters *p) {
	if (p) {
		WANT(p->flags == 0 && p->n_threads == 1);
		WANT(p->alloc_memory == NULL && p->free_memory == NULL);
	}
	return 0;
}

static size_t row(const array_descriptor *d) { return d->stride[1] ? d->stride[1] : d->size[0]; }

int BNNSMatMul(bool trans_a, bool trans_b, float alpha, const array_descriptor *a, const array_descriptor *b,
               const array_descriptor *c, void *workspace, const filter_parameters *params) {
#ifdef BNNS_NO_MATMUL
	return -1;
#endif
	WANT(!trans_a && !trans_b);
	WANT(alpha == 1);
	WANT(workspace == NULL);
	if (check_params(params) || plain(a, ROW_MAJOR, FLOAT32, 2) || plain(b, ROW_MAJOR, FLOAT32, 2) || plain(c, ROW_MAJOR, FLOAT32, 2))
		return -1;
	size_t m = a->size[1], k = a->size[0], n = b->size[0];
	WANT(b->size[1] == k && c->size[0] == n && c->size[1] == m);
	multiply(m, n, k, a->data, row(a), 1, b->data, row(b), 1, c->data, row(c));
	return 0;
}

typedef struct {
	size_t k, n;
	float scale;
	int8_t *w; /* [n,k] */
} filter;

static int filters; /* that were made and not destroyed */

int vendor_filters(void) { return filters; }

static int check_layer(const fully_connected_parameters *l) {
	static const array_descriptor no_bias;
	static const activation identity;
	WANT(l->i_desc.data == NULL && l->o_desc.data == NULL && l->w_desc.data != NULL);
	WANT(l->i_desc.data_scale == 1 && l->o_desc.data_scale == 1 && l->w_desc.data_scale > 0);
	WANT(l->w_desc.size[0] == l->i_desc.size[0]);
	WANT(l->w_desc.size[1] == l->o_desc.size[0]);
	WANT(memcmp(&l->bias, &no_bias, sizeof no_bias) == 0);
	WANT(memcmp(&l->activation, &identity, sizeof identity) == 0);
	if (plain(&l->i_desc, VECTOR, INT8, 1) || plain(&l->w_desc, ROW_MAJOR, INT8, 2) || plain(&l->o_desc, VECTOR, FLOAT32, 1))
		return -1;
	return 0;
}

void *BNNSFilterCreateLayerFullyConnected(const fully_connected_parameters *l, const filter_parameters *params) {
#ifdef BNNS_NO_INT8
	return NULL;
#endif
	if (check_params(params) || check_layer(l))
		return NULL;
	filter *f = malloc(sizeof *f);
	f->k = l->i_desc.size[0];
	f->n = l->o_desc.size[0];
	f->scale = l->w_desc.data_scale;
	f->w = malloc(f->k * f->n);
	memcpy(f->w, l->w_desc.data, f->k * f->n);
	__atomic_add_fetch(&filters, 1, __ATOMIC_SEQ_CST);
	return f;
}

int BNNSFilterApplyBatch(filter *f, size_t batch, const int8_t *in, size_t in_stride, float *out, size_t out_stride) {
	WANT(batch > 0 && in_stride == f->k && out_stride >= f->n);
#ifdef BNNS_APPLY_FAILS
	WANT(f->k <= 256);
#endif
	for (size_t b = 0; b < batch; b++)
		for (size_t o = 0; o < f->n; o++) {
			int32_t sum = 0;
			for (size_t i = 0; i < f->k; i++)
				sum += in[b * in_stride + i] * f->w[i + o * f->k];
			out[b * out_stride + o] = sum * f->scale;
		}
	return 0;
}

void BNNSFilterDestroy(filter *f) {
	__atomic_sub_fetch(&filters, 1, __ATOMIC_SEQ_CST);
	free(f->w);
	free(f);
}
#endif
