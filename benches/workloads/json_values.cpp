// A JSON text parsed into values that own one another, read and thrown away: small allocations of many sizes.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Value {
  double number = 0;
  std::string text;
  std::vector<std::unique_ptr<Value>> items;
  std::map<std::string, std::unique_ptr<Value>> members;
};

static const char *at;

static void skip_blanks() {
  while (*at == ' ') ++at;
}

static std::string parsed_text() {
  std::string text;
  for (++at; *at != '"'; ++at) text += *at;
  ++at;
  return text;
}

static std::unique_ptr<Value> parsed() {
  auto value = std::make_unique<Value>();
  skip_blanks();
  if (*at == '{' || *at == '[') {
    const bool is_object = *at == '{';
    for (++at; *at != '}' && *at != ']';) {
      if (is_object) {
        auto key = parsed_text();
        skip_blanks();
        ++at;
        value->members[key] = parsed();
      } else {
        value->items.push_back(parsed());
      }
      if (*at == ',') ++at;
      skip_blanks();
    }
    ++at;
  } else if (*at == '"') {
    value->text = parsed_text();
  } else {
    char *end;
    value->number = strtod(at, &end);
    at = end;
  }
  return value;
}

static double sum(const Value &value) {
  double total = value.number + value.text.size();
  for (auto &each : value.items) total += sum(*each);
  for (auto &each : value.members) total += sum(*each.second) + each.first.size();
  return total;
}

int main() {
  std::string text = "[";
  for (int i = 0; i < 3000; i++)
    text += "{\"id\": " + std::to_string(i) + ", \"name\": \"user" + std::to_string(i) +
            "-long-enough-for-the-heap\", \"tags\": [\"a\", \"b\", 1.5, [1, 2, 3]], \"in\": {\"x\": 1, \"y\": {}}},";
  text.back() = ']';
  double total = 0;
  for (int i = 0; i < 25; i++) {
    at = text.c_str();
    total += sum(*parsed());
  }
  printf("%.1f\n", total);
}
