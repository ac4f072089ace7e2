"""Objects that call each other: a small operating-system simulation in the manner of Richards."""

from __future__ import annotations

from timing import best_cpu_seconds


class Packet:
    def __init__(self, link: Packet | None, identity: int, kind: int) -> None:
        self.link = link
        self.identity = identity
        self.kind = kind
        self.datum = 0
        self.data = [0, 0, 0, 0]

    def append_to(self, queue: Packet | None) -> Packet:
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, scheduler: Scheduler, identity: int, priority: int, queue: Packet | None) -> None:
        self.scheduler = scheduler
        self.identity = identity
        self.priority = priority
        self.queue = queue
        self.held = False
        self.waiting = queue is None

    def is_runnable(self) -> bool:
        return not self.held and not (self.waiting and self.queue is None)

    def accept(self, packet: Packet) -> None:
        self.queue = packet.append_to(self.queue)
        self.waiting = False

    def take(self) -> Packet | None:
        packet = self.queue
        if packet is not None:
            self.queue = packet.link
            packet.link = None
        return packet

    def run(self) -> None:
        packet = self.take()
        self.work(packet)
        if self.queue is None:
            self.waiting = True

    def work(self, packet: Packet | None) -> None:
        raise NotImplementedError


class Idle(Task):
    seed = 1

    def is_runnable(self) -> bool:
        return True

    def work(self, packet: Packet | None) -> None:
        self.seed = self.shuffle(self.seed)
        self.scheduler.release(self.seed % 2 + 4)

    def shuffle(self, seed: int) -> int:
        bits = 0
        for shift in range(6):
            bits = (bits * 31 + (seed >> shift)) & 0xFFFF
        return bits + 1


class Worker(Task):
    target = 2
    letter = 0

    def work(self, packet: Packet | None) -> None:
        if packet is None:
            return
        self.target = 5 - self.target
        packet.identity = self.target
        packet.datum = 0
        for i in range(4):
            packet.data[i] = self.next_letter()
        self.scheduler.send(packet)

    def next_letter(self) -> int:
        self.letter = self.letter % 26 + 1
        return self.letter + 64


class Handler(Task):
    def work(self, packet: Packet | None) -> None:
        if packet is None:
            return
        count = packet.datum
        if count < 4:
            packet.datum = count + 1
            packet.identity = packet.data[count] % 2 + 4
        else:
            packet.identity = 1
        self.scheduler.send(packet)


class Device(Task):
    def work(self, packet: Packet | None) -> None:
        if packet is None:
            return
        checksum = 0
        for letter in packet.data:
            checksum = (checksum * 33 + letter) & 0xFFFFFF
        packet.datum += 1
        packet.identity = 2 + checksum % 2
        self.scheduler.hold(self)
        self.scheduler.send(packet)


class Scheduler:
    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.sent = 0

    def add(self, task: Task) -> None:
        self.tasks.append(task)

    def send(self, packet: Packet) -> None:
        self.sent += 1
        self.tasks[packet.identity].accept(packet)

    def hold(self, task: Task) -> None:
        task.held = True

    def release(self, identity: int) -> None:
        self.tasks[identity].held = False

    def schedule(self, steps: int) -> int:
        for _ in range(steps):
            for task in self.tasks:
                if task.is_runnable():
                    task.run()
        return self.sent


def simulate(steps: int) -> int:
    scheduler = Scheduler()
    scheduler.add(Idle(scheduler, 0, 0, None))
    scheduler.add(Worker(scheduler, 1, 1000, Packet(Packet(None, 1, 1), 1, 1)))
    scheduler.add(Handler(scheduler, 2, 2000, Packet(None, 2, 0)))
    scheduler.add(Handler(scheduler, 3, 3000, Packet(None, 3, 0)))
    scheduler.add(Device(scheduler, 4, 4000, None))
    scheduler.add(Device(scheduler, 5, 5000, None))
    return scheduler.schedule(steps)


if __name__ == "__main__":
    assert simulate(400) > 500
    print(best_cpu_seconds(lambda: simulate(1500)))
