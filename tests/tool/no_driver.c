/* Stands in front of a machine's libcuda.so.1 so that no function is found there: the tests then mean the same with and
   without a GPU. */
int gemm_no_driver_here(void) { return 0; }
