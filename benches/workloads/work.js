// Objects, strings, closures and sorting, in a loop: what interpreters of JavaScript spend their time on.
function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.plus = function (other) { return new Point(this.x + other.x, this.y + other.y); };

function words(count) {
  var found = {};
  for (var i = 0; i < count; i++) {
    var word = "w" + (i * 7919) % 997;
    found[word] = (found[word] || 0) + 1;
  }
  return found;
}

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

var sum = new Point(0, 0), seed = 42, numbers = [];
for (var i = 0; i < 60000; i++) {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  sum = sum.plus(new Point(seed % 100, i));
  numbers.push(seed);
}
numbers.sort(function (a, b) { return a - b; });
var counts = words(120000), most = 0;
for (var word in counts) if (counts[word] > most) most = counts[word];
print(sum.x, sum.y, numbers[1000], most, fib(24));
