# C++ names of programs made with odd features by two compilers, and of all libraries and large programs of this machine: what pt reads itself is what libiberty says.
. "$PT_TOP/tests/lib.sh"
need g++ clang++ nm
names=$PT_BIN/../tests/tools/names

cat > odd.cc <<'C'
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>
#define KEEP __attribute__((noinline, used))
namespace { struct hidden { int x; KEEP int get() const volatile { return x; } KEEP int ref() & { return 1; } KEEP int move() && { return 2; } KEEP int both() const & { return 3; } }; }
namespace a { inline namespace v1 { namespace b::c { template <typename T> struct [[gnu::abi_tag("tag")]] tagged { T t; KEEP tagged(T x) : t(x) {} KEEP ~tagged() noexcept {} }; } } }
enum class colour : unsigned char { red = 1, blue = 200 };
enum plain { negative = -3 };
struct any { int m; int f(int) { return 1; } int g() const { return 2; } static int s(any &&) { return 3; } };
struct base1 { virtual ~base1() {} virtual base1 *me() { return this; } };
struct base2 { virtual ~base2() {} virtual base2 *you() { return this; } };
struct both : virtual base1, virtual base2 { KEEP both *me() override { return this; } KEEP both *you() override { return this; } };
struct further : both { KEEP further *me() override { return this; } KEEP further *you() override { return this; } };
template <typename... T> KEEP int pack(T &&...) { return sizeof...(T); }
template <typename... T, typename U> KEEP std::tuple<T *..., U> packs(std::tuple<T...>, const U &u, T (*...f)(U)) { return { ((void)f, (T *)nullptr)..., u }; }
template <auto V> KEEP auto value() { return V; }
template <int N, bool B, char C, unsigned long long L, colour K, plain P> KEEP void values() {}
template <typename T, std::size_t N> KEEP std::size_t array(T (&)[N], const T (*)[N], T (&&)[N]) { return N; }
template <template <typename...> class C, typename... T> KEEP C<T...> made(T... t) { return C<T...>{t...}; }
template <typename R, typename... A> KEEP R call(R (*f)(A...), A... a) { return f(static_cast<A>(a)...); }
template <typename R, typename C, typename... A> KEEP R member(R (C::*)(A...), R (C::*)(A...) const, int C::*) { return R(); }
template <typename T> struct op {
	T t;
	KEEP operator T() const { return t; }
	KEEP explicit operator bool() const { return true; }
	template <typename U> KEEP operator std::pair<T, U>() const { return {}; }
	template <typename U> KEEP op operator<(const op<U> &) const { return *this; }
	template <typename U> KEEP op operator<<(U) const { return *this; }
	template <typename U> KEEP op operator>(std::vector<U>) const { return *this; }
	KEEP op operator->*(int any::*) { return *this; }
	KEEP op &operator++() { return *this; }
	KEEP op operator++(int) { return *this; }
	KEEP op operator()(T, T &, T &&, const T *, T *const, const volatile T *) { return *this; }
	KEEP T &operator[](T) { return t; }
	KEEP static void *operator new[](std::size_t, int) { return nullptr; }
	KEEP bool operator==(const op &) const { return true; }
	friend KEEP op operator,(op a, op) { return a; }
	KEEP T *operator->() { return &t; }
};
KEEP int operator""_lit(unsigned long long v) { return (int)v; }
KEEP long double operator""_lit(long double v) { return v; }
KEEP void builtins(bool, char, signed char, unsigned char, wchar_t, char8_t, char16_t, char32_t, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long,
	__int128, unsigned __int128, float, double, long double, decltype(nullptr), void *, const char *const *, volatile int *, ...) {}
KEEP void functions(void (*)(), int (*)(int (*)(char)), int (*(*)(int))(char), int (&)(), int (*const)(), void (*const *)(), int (any::*)(int), int (any::*const)() const, int any::*, int any::**, int (*)[3], int (&)[2][3], const char (&)[5]) {}
KEEP void std_names(std::string, std::string *, std::allocator<char>, std::basic_string<wchar_t>, std::ostream &, std::istream &, std::iostream &, std::vector<std::string>, std::map<std::string, std::vector<int>>) {}
template <typename T> KEEP auto lambdas(T t)
{
	struct inner { T t; struct deep { KEEP int f(T) const { return 1; } }; KEEP int g() { return deep().f(t); } KEEP inner(T x) : t(x) {} };
	static T kept = t;
	static int counted; { static int counted; counted++; }
	auto one = [t](auto a, auto &&...rest) KEEP { auto two = [=](const T &x, decltype(a) y) KEEP { return sizeof x + sizeof y; }; return two(t, a) + pack(rest...); };
	auto three = [&](T *p, int (*q)(T)) KEEP { return p != nullptr && q; };
	auto four = []<typename U, int N>(U (&)[N]) KEEP { return N; };
	int arr[4];
	counted++;
	return one(1, 2u, "three") + three(&kept, nullptr) + inner(t).g() + four(arr);
}
struct has_lambda { int x = [](int y) KEEP { return y; }(3); std::function<int(int)> f = [this](int y) KEEP { return x + y; }; KEEP int with(int (*d)(int) = [](int z) KEEP { return z; }) { return d(1); } };
template <typename T> concept sized = sizeof(T) > 1;
template <sized T> KEEP T constrained(T t) requires(sizeof(T) < 100) { return t; }
template <typename T> KEEP auto decl(T t) -> decltype(t + T()) { return t; }
template <typename T> KEEP std::enable_if_t<(sizeof(T) > 2), T> enabled(T t) { return t; }
template <typename T> KEEP typename std::enable_if<std::is_same<T, int>::value || !std::is_class<T>::value, T>::type enabled2(T t) { return t; }
template <typename T> inline T variable = T{};
thread_local std::string per_thread = "x";
KEEP std::string &thread_string() { return per_thread; }
union { int anonymous; } static an;
typedef struct { KEEP int f() { return 1; } } untyped;
extern "C" KEEP int entry(int n)
{
	hidden h{n}; int arr[4] = {}; any x{}; colour c = colour::red;
	h.get(); h.ref(); hidden{1}.move(); ((const hidden &)h).both();
	a::b::c::tagged<hidden> t(h); a::b::c::tagged<std::vector<colour>> t2({});
	pack(); pack(n, "abc", h, std::move(h), c, arr, &any::f, &any::g, &any::m, any::s, entry, nullptr); pack<const int &, int &&, int>(n, 3, 4);
	packs(std::tuple<int, char>(), 2.0, (int (*)(double))nullptr, (char (*)(double))nullptr); packs(std::tuple<>(), x);
	value<3>(); value<&any::m>(); value<&any::f>(); value<&any::s>(); value<entry>(); value<colour::blue>(); value<'c'>(); value<nullptr>(); value<&an>();
	values<-5, true, 'x', 77, colour::blue, negative>();
	array<int, 4>(arr, &arr, std::move(arr)); made<std::pair>(1, 'c'); made<std::tuple>(n, 2.0f, std::string()); made<std::vector, int>(3);
	call(entry, 1); call<int, any &&>(any::s, any()); member(&any::f, (int (any::*)(int) const)nullptr, &any::m);
	op<int> o{n}; (int)o; (bool)o; (std::pair<int, char>)o; o < op<char>(); o << "x" << 2.0; o > std::vector<long>(); o->*&any::m; ++o; o++; o(n, n, 3, &n, &n, &n); o[1]; (void)(o == o); (o, o);
	op<int *> p{&n}; (void)p.operator->();
	further f; f.me(); f.you(); untyped u; u.f();
	lambdas(n); lambdas("text"); lambdas(std::string("x")); lambdas(std::optional<colour>(c)); has_lambda l; l.with(); l.f(3);
	constrained(3); decl(3); decl(2.0f); enabled(3); enabled2('c'); variable<int> += 1; variable<std::string> += "x";
	std::variant<int, std::string, std::unique_ptr<both>> v = std::string("x"); std::visit([](auto &&y) { (void)y; }, v);
	functions(0, 0, 0, *(int (*)())0, 0, 0, 0, 0, 0, 0, 0, *(int (*)[2][3])0, "four"); std_names({}, 0, {}, {}, *(std::ostream *)0, *(std::istream *)0, *(std::iostream *)0, {}, {});
	return thread_string().size() + 3_lit + (int)1.0_lit + variable<int>;
}
C

symbols() { nm "$@" 2> /dev/null | awk '$NF ~ /^_Z/ { sub(/@.*/, "", $NF); print $NF }' | sort -u; }
# compare NAME SHARE: the names in the file NAME; pt answers at least that share.
compare() {
	local form out
	for form in '' params; do
		out=$("$names" check $form < "$1") || fail "$1 $form: $(head -30 <<< "$out")"
		echo "$1 ${form:-names}: $out"
		awk -v least="$2" '{ gsub(/[(]/, ""); exit $5 < least }' <<< "$out" || fail "$1 $form: too few answered: $out"
	done
}

for cc in g++ clang++; do
	for o in -O0 -O2; do
		$cc -std=c++20 $o -w -c -o "odd$o.$cc.o" odd.cc || fail "$cc $o"
	done
done
symbols odd-O*.o > odd
[ "$(wc -l < odd)" -gt 500 ] || fail "only $(wc -l < odd) names in the programs made here"
compare odd 80
symbols -D /usr/lib/x86_64-linux-gnu/*.so* /usr/lib/*/*/*.so* /usr/lib/gcc/*/*/cc1plus /usr/lib/llvm-*/lib/*.so* > machine
symbols /usr/lib/gcc/*/*/*.a /usr/lib/llvm-*/lib/clang/*/lib/*/*.a >> machine
compare machine 97
