// {fmt} as one compiled file, by the headers that its package installs. Used header-only, it costs each file that formats
// 3 s of compile time; the package's library is a shared one, which binaries here do not depend on.
//
// What the headers declare and leave to the library: functions, in format-inl.h, and instantiations of templates. Those
// of versions 8 to 12 are named here; one more would be missed by the linker.

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

#if FMT_VERSION >= 120000
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
#else
template detail::locale_ref::locale_ref(const std::locale&);
template auto detail::locale_ref::get<std::locale>() const -> std::locale;
#endif

namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;

template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<wchar_t>;
template auto decimal_point_impl(locale_ref) -> char;
template auto decimal_point_impl(locale_ref) -> wchar_t;

template void buffer<char>::append(const char*, const char*);

#if FMT_VERSION < 90000
template int format_float(double, int, float_specs, buffer<char>&);
template int format_float(long double, int, float_specs, buffer<char>&);
template int snprintf_float(double, int, float_specs, buffer<char>&);
template int snprintf_float(long double, int, float_specs, buffer<char>&);
#elif FMT_VERSION >= 100000 && FMT_VERSION < 120000
template void vformat_to(buffer<char>&, string_view, typename vformat_args<>::type, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
