-- Libraries: files, the system, sorting, UTF-8, loading of code.
local file = assert(io.open("written.txt", "w+"))
for i = 1, 1000 do file:write(("%04d %.3f\n"):format(i, math.sin(i))) end
file:seek("set", 0)
local sum, lines = 0, 0
for index, sine in file:lines("n", "n") do sum = sum + index * sine; lines = lines + 1 end
print(lines, ("%.9f"):format(sum), file:seek("end"))
file:close()
print(pcall(file.read, file), io.open("no/such/file"), io.type(file))

local words = {}
for i = 1, 500 do words[i] = tostring((i * 7919) % 1009) end
table.sort(words); print(table.concat(words, ",", 1, 8), words[#words])
table.sort(words, function(x, y) return tonumber(x) > tonumber(y) end); print(table.concat(words, ",", 1, 8))
print(table.concat(table.move({ 1, 2, 3 }, 2, 3, 1), " "), #table.pack(nil, nil), table.remove({ 4, 5 }))

for _, code in utf8.codes("h\u{e9}\u{4e2d}\u{1F600}") do io.write(code, " ") end
print(utf8.len("\xff"), utf8.char(233, 20013), utf8.offset("a\u{e9}b", 3))
print(string.pack("<i4 z s1 d", 7, "zero", "one", 0.5):byte(1, -1))
print(string.unpack("<i4 z s1 d", string.pack("<i4 z s1 d", -7, "zero", "one", 0.5)))
print(string.dump(function() return 1 end):sub(1, 4) == "\27Lua", load("return ...", "chunk", "t", {})(9))
print(load("x ="), select(2, load("\27Lua", "binary", "t")))

print(os.getenv("NO_SUCH_VARIABLE"), os.time({ year = 2000, month = 1, day = 1, hour = 12 }) > 0, os.date("!%Y-%m-%d %H:%M:%S", 86400))
print(math.floor(-3.5), math.fmod(-7, 3), math.ult(1, -1), math.type(1), math.type(1.0), math.abs(math.mininteger))
math.randomseed(42); local r = math.random(100); math.randomseed(42); assert(r == math.random(100))
print(require("string") == string, pcall(require, "no.such.module"))
local pipe = io.popen("echo from a shell; exit 3"); print(pipe:read("a"), pipe:close())
print(os.rename("no/such/file", "elsewhere"), os.remove("no/such/file"))
io.stderr:write("to stderr\n")
