"""A repository with the model file that `./bazelw` has brought: @example_model//:model.safetensors."""

_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files(["model.safetensors"])
"""

# Without the file, what needs it does not build, and says why; the rest of the workspace does.
_BUILD_ABSENT = """\
package(default_visibility = ["//visibility:public"])

genrule(
    name = "absent",
    outs = ["model.safetensors"],
    cmd = "echo 'the example model is not here; call Bazel as ./bazelw, which fetches it from PyPI' >&2; exit 1",
)
"""

def _example_model_impl(ctx):
    model = ctx.os.environ.get("LIBGEMM_EXAMPLE_MODEL", "")
    if model and ctx.path(model).exists:
        ctx.symlink(model, "model.safetensors")
        ctx.file("BUILD", _BUILD)
    else:
        ctx.file("BUILD", _BUILD_ABSENT)

example_model = repository_rule(
    implementation = _example_model_impl,
    doc = "$LIBGEMM_EXAMPLE_MODEL (set by ./bazelw) as model.safetensors.",
    environ = ["LIBGEMM_EXAMPLE_MODEL"],
    local = True,
)
