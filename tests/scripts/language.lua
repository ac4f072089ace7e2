-- What the language promises, checked by itself; prints what it found.
print(_VERSION, select("#", ...), ...)

-- closures, varargs, multiple results
local function counter() local n = 0; return function(step) n = n + (step or 1); return n end end
local a, b = counter(), counter()
a(); a(5); b()
assert(a(0) == 6 and b(0) == 1)
assert(select(-1, table.unpack({ 1, 2, 3 })) == 3)

-- integers, floats, overflow, division
assert(math.maxinteger + 1 == math.mininteger and 7 // -2 == -4 and 7 % -2 == -1 and -7 // 2.0 == -4.0)
assert(1 // 0.0 == math.huge and 0x7fffffffffffffff == math.maxinteger and 3 | 4 == 7 and ~0 == -1)
print(2 ^ 0.5, 10 / 3, 1e300 * 1e10, -(0 / 0) ~= -(0 / 0), 0x1p-3, math.tointeger(3.0))

-- strings and patterns
assert(("%d %5.2f %s %q"):format(42, 3.14159, "x", 'a"b\n') == '42  3.14 x "a\\"b\\\n"')
for word, number in ("one=1, two=22"):gmatch("(%w+)=(%d+)") do io.write(word, ":", number, " ") end
print(("hello world"):gsub("o", { o = "0" }), ("abc"):rep(3, "-"), ("x"):byte(), #"\u{20AC}")

-- metatables, inheritance, to-be-closed variables, goto
local Point = {}
Point.__index = Point
Point.__add = function(p, q) return setmetatable({ x = p.x + q.x }, Point) end
Point.__eq = function(p, q) return p.x == q.x end
Point.__close = function(p) io.write("closed ", p.x, "\n") end
Point.__tostring = function(p) return "Point " .. p.x end
local p = setmetatable({ x = 1 }, Point) + setmetatable({ x = 2 }, Point)
assert(p == setmetatable({ x = 3 }, Point))
do local guard <close> = p; print(tostring(guard)) end
for i = 1, 3 do
  if i == 2 then goto continue end
  io.write(i, " ")
  ::continue::
end
print()

-- errors: longjmp through C and Lua frames, nested, with values and tracebacks
local function thrower(depth) if depth == 0 then error({ code = 7 }) end return 1 + thrower(depth - 1) end
local ok, value = pcall(thrower, 50)
assert(not ok and value.code == 7)
print(pcall(error, "message", 0), select(2, pcall(function() local x = nil; return x.y end)))
print(xpcall(function() error("traced") end, function(m) return (debug.traceback(m, 1):match("traced\n(stack traceback)")) end))
local sorted, why = pcall(table.sort, { 3, 1, 2 }, function() error("in a comparison") end)
assert(not sorted and why:find("in a comparison"))
assert(not pcall(string.rep, "x", 1 << 60))
print(select(2, pcall(function() local function f() return f() + 1 end return f() end)):match("stack overflow"))

-- coroutines: yields across pcall and metamethods, wrapped errors
local generator = coroutine.wrap(function() for i = 1, 3 do pcall(function() coroutine.yield(i * i) end) end end)
print(generator(), generator(), generator())
local co = coroutine.create(function(x) local y = coroutine.yield(x + 1); error("done " .. y) end)
print(coroutine.resume(co, 1)); print(coroutine.resume(co, 5)); print(coroutine.status(co))

-- garbage: weak tables, finalizers, generational mode
local weak, finalized = setmetatable({}, { __mode = "v" }), 0
for i = 1, 1000 do weak[i] = setmetatable({}, { __gc = function() finalized = finalized + 1 end }) end
collectgarbage("generational"); collectgarbage(); collectgarbage("incremental"); collectgarbage()
print(next(weak), finalized)

-- some work
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(24))
