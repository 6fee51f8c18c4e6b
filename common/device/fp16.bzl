"""FP16 kernels, made of the PTX of the same kernels for BF16."""

# What cuda_kernels has to replace: the kernels' names, and the types of mma and wgmma. All else is the same code, also what
# converts to the type of D, which a kernel reads from its parameters. tests/codegen compares it with FP16's own.
FP16_OF_BF16 = {
    "_bf16_": "_fp16_",
    ".f32.bf16.bf16": ".f32.f16.f16",
}
