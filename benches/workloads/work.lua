-- Work for the interpreter: calls, tables, strings, floats, closures, coroutines.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local parts, counts, sum = {}, {}, fib(33)
for i = 1, 200000 do parts[i] = ("%x"):format(i * 7919 % 65537) end
for _, part in ipairs(parts) do counts[part] = (counts[part] or 0) + 1 end
table.sort(parts)
local text = table.concat(parts, " ")
for word in text:gmatch("%x+f") do sum = sum + #word end
local point = setmetatable({ x = 0.5 }, { __index = { move = function(self, d) self.x = self.x * d % 1 end } })
for i = 1, 6000000 do point:move(1.1 + i % 3) end
local producer = coroutine.wrap(function() for i = 1, 300000 do coroutine.yield(i) end return 0 end)
for i = 1, 300000 do sum = sum + producer() end
print(sum, #text, point.x)
