"""Random programs in LLVM IR that end, divide by nothing that is 0, and show what they compute by calls of `@observe`.

Every program has `i64 @start(i64)`; it reads and writes `@arena`, an array of 64 words outside of the module, so that
addresses are the same in every version of the program.
"""

import random

_WORDS = ("i64", "i32", "i8")


class _Writer:
    def __init__(self, chance: random.Random, helpers: list[str]) -> None:
        self.chance = chance
        self.helpers = helpers
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.variables: list[tuple[str, str]] = []  # slot, type
        self.count = 0
        self.left = chance.randint(8, 30)  # statements

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, body: str) -> str:
        name = self.fresh()
        self.lines.append(f"  {name} = {body}")
        return name

    def label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def begin(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def new_variable(self, type_: str, value: str) -> tuple[str, str]:
        slot = f"%s{len(self.slots)}"
        self.slots.append(f"  {slot} = alloca {type_}")
        self.lines.append(f"  store {type_} {value}, ptr {slot}")
        return slot, type_

    def as_type(self, value: str, from_type: str, to_type: str) -> str:
        if from_type == to_type:
            return value
        if int(from_type[1:]) > int(to_type[1:]):
            return self.emit(f"trunc {from_type} {value} to {to_type}")
        return self.emit(f"{self.chance.choice(('zext', 'sext'))} {from_type} {value} to {to_type}")

    def value(self, type_: str, depth: int = 0) -> str:
        chance = self.chance
        if depth > 2 or chance.random() < 0.35:
            if chance.random() < 0.3:
                return str(chance.choice((0, 1, 2, 3, 5, 7, -1, 100, -100)))
            slot, its = chance.choice(self.variables)
            return self.as_type(self.emit(f"load {its}, ptr {slot}"), its, type_)
        match chance.randrange(8):
            case 0 | 1 | 2:
                name = chance.choice(("add", "sub", "mul", "and", "or", "xor", "add nsw", "sub"))
                if "nsw" in name:  # of what cannot overflow
                    left = self.emit(f"and {type_} {self.value(type_, depth + 1)}, 15")
                    return self.emit(f"add nsw {type_} {left}, {chance.randrange(16)}")
                return self.emit(f"{name} {type_} {self.value(type_, depth + 1)}, {self.value(type_, depth + 1)}")
            case 3:
                name = chance.choice(("shl", "lshr", "ashr"))
                return self.emit(f"{name} {type_} {self.value(type_, depth + 1)}, {chance.randrange(1, 8)}")
            case 4:
                name = chance.choice(("sdiv", "srem", "udiv", "urem"))
                return self.emit(f"{name} {type_} {self.value(type_, depth + 1)}, {chance.choice((2, 3, 7, 8))}")
            case 5:
                return self.as_type(self.condition(depth + 1), "i1", type_)
            case 6:
                which = self.condition(depth + 1)
                return self.emit(
                    f"select i1 {which}, {type_} {self.value(type_, depth + 1)}, {type_} {self.value(type_, depth + 1)}"
                )
            case _:
                word = self.emit(f"load i64, ptr {self.place()}")
                return self.as_type(word, "i64", type_)

    def condition(self, depth: int = 0) -> str:
        type_ = self.chance.choice(_WORDS)
        relation = self.chance.choice(("eq", "ne", "slt", "ult", "sge", "ugt", "sle"))
        return self.emit(f"icmp {relation} {type_} {self.value(type_, depth + 1)}, {self.value(type_, depth + 1)}")

    def place(self) -> str:
        """A pointer to a word of the arena."""
        index = self.emit(f"and i64 {self.value('i64', 2)}, 63")
        if self.chance.random() < 0.3:
            narrow = self.emit(f"trunc i64 {index} to i32")
            return self.emit(f"getelementptr [64 x i64], ptr @arena, i64 0, i32 {narrow}")
        return self.emit(f"getelementptr i64, ptr @arena, i64 {index}")

    def statements(self, depth: int) -> None:
        for _ in range(self.chance.randint(1, 5)):
            if self.left <= 0:
                return
            self.left -= 1
            self.statement(depth)

    def statement(self, depth: int) -> None:
        chance = self.chance
        kind = chance.randrange(12)
        if depth >= 3 and kind >= 8:
            kind = chance.randrange(8)
        if kind < 4:
            slot, type_ = chance.choice(self.variables)
            if slot not in self.counters:
                self.lines.append(f"  store {type_} {self.value(type_)}, ptr {slot}")
        elif kind < 6:
            self.lines.append(f"  call void @observe(i64 {self.value('i64')})")
        elif kind == 6:
            self.lines.append(f"  store i64 {self.value('i64')}, ptr {self.place()}")
        elif kind == 7:
            if self.helpers:
                value = self.emit(
                    f"call i64 {chance.choice(self.helpers)}(i64 {self.value('i64')}, i32 {self.value('i32')})"
                )
                self.variables.append(self.new_variable("i64", value))
        elif kind < 10:
            self.branch(depth)
        else:
            self.loop(depth)

    counters: set[str] = set()  # noqa: RUF012 - replaced in write_function, per function

    def branch(self, depth: int) -> None:
        ends = self.label()
        if self.chance.random() < 0.2:
            cases = [self.label() for _ in range(3)]
            value = self.emit(f"and i64 {self.value('i64')}, 3")
            listed = " ".join(f"i64 {number}, label %{each}" for number, each in enumerate(cases[1:]))
            self.lines.append(f"  switch i64 {value}, label %{cases[0]} [ {listed} ]")
        else:
            cases = [self.label(), self.label()]
            self.lines.append(f"  br i1 {self.condition()}, label %{cases[0]}, label %{cases[1]}")
        for each in cases:
            self.begin(each)
            if self.chance.random() < 0.8:
                known = len(self.variables)
                self.statements(depth + 1)
                del self.variables[known:]  # made on this way only
            self.lines.append(f"  br label %{ends}")
        self.begin(ends)

    def loop(self, depth: int) -> None:
        head, body, after = self.label(), self.label(), self.label()
        chance = self.chance
        times = str(chance.randint(1, 6))
        if chance.random() < 0.5:
            times = self.emit(f"and i64 {self.value('i64')}, 7")
        counter, _ = self.new_variable("i64", "0")
        limit, _ = self.new_variable("i64", times)
        self.counters |= {counter, limit}
        self.variables.append((counter, "i64"))
        self.lines.append(f"  br label %{head}")
        self.begin(head)
        now, end = self.emit(f"load i64, ptr {counter}"), self.emit(f"load i64, ptr {limit}")
        more = self.emit(f"icmp slt i64 {now}, {end}")
        self.lines.append(f"  br i1 {more}, label %{body}, label %{after}")
        self.begin(body)
        known = len(self.variables)
        self.statements(depth + 1)
        if chance.random() < 0.2:
            go_on = self.label()
            self.lines.append(f"  br i1 {self.condition()}, label %{after}, label %{go_on}")
            self.begin(go_on)
        del self.variables[known:]
        next_ = self.emit(f"load i64, ptr {counter}")
        self.lines.append(f"  store i64 {self.emit(f'add i64 {next_}, 1')}, ptr {counter}")
        self.lines.append(f"  br label %{head}")
        self.begin(after)


def _function(chance: random.Random, head: str, parameters: list[tuple[str, str]], helpers: list[str]) -> str:
    writer = _Writer(chance, helpers)
    writer.counters = set()
    for type_, name in parameters:
        writer.variables.append(writer.new_variable(type_, name))
    for type_ in _WORDS:
        writer.variables.append(writer.new_variable(type_, str(chance.randrange(10))))
    while writer.left > 0:
        writer.statements(0)
    result = writer.value("i64")
    return "\n".join([f"define {head} {{", *writer.slots, *writer.lines, f"  ret i64 {result}", "}"])


def observed_program(seed: int) -> str:
    """A program; the same for the same seed."""
    chance = random.Random(seed)
    helpers: list[str] = []
    texts = ["@arena = external global [64 x i64]", "declare void @observe(i64)"]
    for number in range(chance.randint(0, 2)):
        parameters = [("i64", "%a"), ("i32", "%b")]
        texts.append(_function(chance, f"internal i64 @helper{number}(i64 %a, i32 %b)", parameters, list(helpers)))
        helpers.append(f"@helper{number}")
    texts.append(_function(chance, "i64 @start(i64 %a)", [("i64", "%a")], helpers))
    return "\n".join(texts) + "\n"
