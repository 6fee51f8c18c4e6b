"""A repository of some folders below the system's include folder, so that a BUILD file can name them."""

def _system_headers_impl(ctx):
    for directory in ctx.attr.directories:
        source = ctx.path(ctx.attr.root + "/" + directory)
        if not source.exists:
            fail("%s is missing; ./bazelw installs it" % source)
        ctx.symlink(source, "include/" + directory)
    ctx.symlink(ctx.path(ctx.attr.build_file), "BUILD")

system_headers = repository_rule(
    implementation = _system_headers_impl,
    doc = "Makes `<root>/<directory>` visible as `include/<directory>` of a repository.",
    local = True,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "directories": attr.string_list(mandatory = True),
        "root": attr.string(default = "/usr/include"),
    },
)
