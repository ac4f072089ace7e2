"""A program of a few functions, of which one can be made to take longer: changed.py ROUNDS [SHARE]."""

import json
import sys
import textwrap


def tokenize(text: str) -> list[tuple[int, str]]:
    found = []
    for place, letter in enumerate(text):
        if letter.isalpha():
            found.append((place, letter))
        elif letter == " ":
            found.append((place, "_"))
    return found


def checksum(tokens: list[tuple[int, str]]) -> int:
    result = 0
    for place, letter in tokens:
        result = (result * 31 + ord(letter) + place) & 0xFFFFFFFF
    return result


def distance(one: str, other: str) -> int:
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one):
        here = [row + 1]
        for column, another in enumerate(other):
            here.append(min(above[column + 1] + 1, here[column] + 1, above[column] + (letter != another)))
        above = here
    return above[-1]


def render(tokens: list[tuple[int, str]]) -> str:
    return "".join(letter for _, letter in tokens)


def main(rounds: int, more: float) -> int:
    text = "the quick brown fox jumps over the lazy dog 12345 " * 60
    total = 0
    for number in range(rounds):
        for _ in range(20):
            tokens = tokenize(text)
            total += checksum(tokens) + len(render(tokens))
        for _ in range(round(20 * more)):
            tokenize(text)
        total += distance(text[number : number + 120], text[2 * number : 2 * number + 120])
        json.loads(json.dumps([list(range(50))] * 100))
        textwrap.fill(text, 60)
    return total


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0)
