// Many small objects, made and thrown away: chains of one-way constraints between variables, planned and executed again
// and again, as in the DeltaBlue benchmark (Wolczko, after Freeman-Benson and Maloney). Own code.
//
//     constraints ROUNDS [LENGTH]
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Constraint;

struct Variable {
    long value;
    Constraint *determined_by = nullptr;
    std::vector<Constraint *> constraints;
    unsigned mark = 0;
    explicit Variable(long value) : value(value) {}
};

struct Constraint {
    virtual ~Constraint() = default;
    virtual void execute() = 0;
    virtual Variable *output() = 0;
    virtual bool inputs_known(unsigned mark) = 0;
};

struct Edit : Constraint {
    Variable *variable;
    explicit Edit(Variable *variable) : variable(variable) { variable->constraints.push_back(this); }
    void execute() override {}
    Variable *output() override { return variable; }
    bool inputs_known(unsigned) override { return true; }
};

struct Equal : Constraint {
    Variable *from, *to;
    Equal(Variable *from, Variable *to) : from(from), to(to) {
        from->constraints.push_back(this);
        to->constraints.push_back(this);
        to->determined_by = this;
    }
    void execute() override { to->value = from->value; }
    Variable *output() override { return to; }
    bool inputs_known(unsigned mark) override { return from->mark == mark; }
};

struct Scale final : Equal {
    Variable *factor;
    Scale(Variable *from, Variable *factor, Variable *to) : Equal(from, to), factor(factor) {}
    void execute() override { to->value = from->value * factor->value + 1; }
};

struct Plan {
    std::vector<Constraint *> steps;
    void execute() const {
        for (Constraint *step : steps) step->execute();
    }
};

// What follows from `first`, in an order in which inputs come before outputs.
static std::unique_ptr<Plan> plan_from(Constraint *first, unsigned mark) {
    auto plan = std::make_unique<Plan>();
    std::vector<Constraint *> waiting{first};
    while (!waiting.empty()) {
        Constraint *next = waiting.back();
        waiting.pop_back();
        if (next->output()->mark == mark || !next->inputs_known(mark)) continue;
        next->output()->mark = mark;
        plan->steps.push_back(next);
        for (Constraint *each : next->output()->constraints)
            if (each != next && each->output()->determined_by == each) waiting.push_back(each);
    }
    return plan;
}

static long chain(int length, unsigned &mark) {
    std::vector<std::unique_ptr<Variable>> variables;
    std::vector<std::unique_ptr<Constraint>> constraints;
    Variable factor(3);
    for (int i = 0; i <= length; i++) variables.push_back(std::make_unique<Variable>(i));
    for (int i = 0; i < length; i++) {
        Variable *from = variables[i].get(), *to = variables[i + 1].get();
        if (i % 4 == 3)
            constraints.push_back(std::make_unique<Scale>(from, &factor, to));
        else
            constraints.push_back(std::make_unique<Equal>(from, to));
    }
    long sum = 0;
    auto edit = std::make_unique<Edit>(variables[0].get());
    for (int i = 0; i < 10; i++) {
        variables[0]->value = i;
        plan_from(edit.get(), ++mark)->execute();
        sum += variables[length]->value % 1009;
    }
    return sum;
}

int main(int count, char **words) {
    int rounds = count > 1 ? std::atoi(words[1]) : 10, length = count > 2 ? std::atoi(words[2]) : 1000;
    unsigned mark = 0;
    long sum = 0;
    for (int i = 0; i < rounds; i++) sum += chain(length, mark);
    std::printf("%ld\n", sum);
}
