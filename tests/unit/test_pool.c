/* Workers that are taken over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/run/pool.h"

/* A pid that has passed on to another process is no worker of ours. */
static void test_adopt(void **state)
{
    (void)state;
    struct loop *l;
    struct pool p;
    struct process_id me;
    int run;
    assert_int_equal(loop_new(&l, NULL), 0);
    pool_init(&p, l, NULL, NULL);
    assert_true(process_identify(getpid(), &me));
    assert_null(pool_adopt(&p, (struct process_id){me.pid, me.start + 1}, &run));
    assert_null(pool_adopt(&p, (struct process_id){0, 0}, &run));
    assert_int_equal(p.count, 0);
    struct worker *w = pool_adopt(&p, me, &run);
    assert_non_null(w);
    assert_ptr_equal(w->run, &run);
    assert_int_equal(p.count, 1);
    pool_clear(&p);
    loop_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adopt)};
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
