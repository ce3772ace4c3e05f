// Many instantiations of much that is inlined: thousands of places, each of several functions.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
volatile unsigned sink;
template <unsigned N> struct item {
	unsigned key;
	std::string text;
	std::variant<int, double, std::string> value;
	bool operator<(const item &o) const { return key % (N + 7) != o.key % (N + 7) ? key % (N + 7) < o.key % (N + 7) : text < o.text; }
};
template <unsigned N> static void work(unsigned r)
{
	std::vector<item<N>> v;
	std::map<std::string, std::vector<unsigned>> m;
	std::unordered_map<unsigned, item<N>> u;
	std::set<std::pair<unsigned, std::string>> s;
	std::deque<std::function<unsigned(unsigned)>> f;
	std::ostringstream out;
	for (unsigned i = 0; i < 400; i++) {
		unsigned k = (i + r) * 2654435761u;
		v.push_back(item<N>{k, std::to_string(k % 971), i % 3 ? i % 2 ? std::variant<int, double, std::string>(int(i)) : 1.5 * i : std::string("s") + std::to_string(i)});
		f.push_back([k](unsigned x) { return x * N + k; });
	}
	std::sort(v.begin(), v.end());
	std::stable_sort(v.begin(), v.end(), [](const item<N> &a, const item<N> &b) { return a.text > b.text; });
	for (auto &x : v) {
		m[x.text].push_back(x.key);
		u.emplace(x.key, x);
		s.emplace(x.key % 101, x.text);
		out << x.key << ' ' << std::visit([](auto &y) -> unsigned { if constexpr (std::is_same_v<std::decay_t<decltype(y)>, std::string>) return unsigned(y.size()); else return unsigned(y); }, x.value) << '\n';
	}
	std::make_heap(v.begin(), v.end());
	while (v.size() > 100) { std::pop_heap(v.begin(), v.end()); v.pop_back(); }
	std::string all = out.str();
	if (r % 8 == 0) {
		std::regex e("([0-9]+) (1" + std::to_string(N) + "|[23]+)");
		for (std::sregex_iterator i(all.begin(), all.begin() + 800, e), end; i != end; ++i) sink = sink + unsigned(i->length(1));
	}
	sink = sink + std::accumulate(f.begin(), f.end(), 0u, [](unsigned a, auto &g) { return a + g(a); }) + unsigned(m.size() + u.size() + s.size());
}
template <unsigned... N> static void each(unsigned r, std::integer_sequence<unsigned, N...>) { (work<N>(r), ...); }
int main(int, char **argv)
{
	for (unsigned r = unsigned(atoi(argv[1])); r > 0; r--) each(r, std::make_integer_sequence<unsigned, 6>());
}
