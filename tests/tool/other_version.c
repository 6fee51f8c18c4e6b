// A libgemm.so of another version, as far as its functions' names go: `gemm bench --beside` calls no other of them.
const char* _ZN4gemm7VersionEv(void) { return "9.9.9"; }

void _ZN4gemm4Plan6CreateERKNS_7ProblemERKNS_11PlanOptionsEPS0_(void) {}
void _ZNK4gemm4Plan3RunERKNS_9ArgumentsE(void) {}
void _ZNK4gemm4Plan14workspace_sizeEv(void) {}
void _ZNK4gemm4Plan11kernel_nameEv(void) {}
void _ZNK4gemm4Plan18kernel_name_with_cEv(void) {}
