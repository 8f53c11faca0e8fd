"""A second Plants-vs-Zombies, slow and plain: lists of dictionaries, searched from end to end at every question."""

from __future__ import annotations

import hashlib
from random import Random
from typing import TypedDict

from tests.games.action_reference import many, one

COST = {"X": 50, "W": 100, "S": 325, "J": 50, "H": 125, "F": 300}
PLANT_HP = {"X": 2, "W": 2, "S": 2, "J": 10, "H": 2, "F": 1}
ZOMBIE_HP = {"N": 4, "R": 8, "B": 12, "I": 6}
ATTACK = {"N": 1, "R": 1, "B": 1, "I": 3}


class Unit(TypedDict):
    letter: str
    row: int
    column: int
    hp: int


class ReferencePvz:
    def __init__(
        self,
        *,
        config: str,
        seed: int,
        rows: int,
        columns: int,
        start_sun: int,
        sun_a_turn: int,
        spawn_every: int,
        stage_turns: int,
        stage_hp: int,
        max_steps: int,
    ) -> None:
        self.rows, self.columns, self.sun, self.sun_a_turn = rows, columns, start_sun, sun_a_turn
        self.spawn_every, self.stage_turns, self.stage_hp = spawn_every, stage_turns, stage_hp
        self.max_steps = max_steps
        key = hashlib.sha256(f"pvz\n2\n{config}\n{seed}\nwaves".encode()).digest()
        self.chance = Random(int.from_bytes(key, "big"))
        self.turn = 0
        self.plants: list[Unit] = []
        self.zombies: list[Unit] = []
        self.end: str | None = None

    def play(self, action: str) -> tuple[str, int]:
        """Return the feedback and the reward."""
        report = self.place(action)
        self.burn()
        self.earn()
        self.shoot()
        breach = self.walk()
        if breach is None:
            self.spawn()
        self.turn += 1
        if breach is not None:
            self.end = "lost"
            return f"A zombie reached the house in row {breach}.{report}", 0
        if self.turn == self.max_steps:
            self.end = "step_limit"
        return f"You survived the turn.{report}", 1

    def plant_at(self, row: int, column: int) -> Unit | None:
        found = [plant for plant in self.plants if (plant["row"], plant["column"]) == (row, column)]
        assert len(found) <= 1
        return found[0] if found else None

    def place(self, action: str) -> str:
        most = self.rows * self.columns
        asked = [] if one(action, []) == ("NONE", ()) else many(action)
        asked, more = asked[:most], len(asked) > most
        placed, skipped = [], []
        for number, words in enumerate(asked, 1):
            if words is None:
                skipped.append(f"placement {number} (expected the letter of a plant, a row and a column)")
                continue
            letter, (row, column) = words
            name = f"{letter} {row} {column}"
            if letter not in COST:
                skipped.append(f"placement {number} (no such plant)")
            elif row not in range(self.rows) or column not in range(self.columns):
                skipped.append(f"{name} (outside the field)")
            elif self.plant_at(row, column) is not None:
                skipped.append(f"{name} (the cell is taken)")
            elif COST[letter] > self.sun:
                skipped.append(f"{name} (not enough sun)")
            else:
                self.sun -= COST[letter]
                self.plants.append({"letter": letter, "row": row, "column": column, "hp": PLANT_HP[letter]})
                placed.append(name)
        report = ""
        if placed:
            report += f" Placed: {some(placed)}."
        elif asked:
            report += " Invalid action: nothing was placed."
        if skipped:
            report += f" Skipped: {some(skipped)}."
        if more:
            report += f" Only the first {most} placements were read."
        return report

    def burn(self) -> None:
        for chili in [plant for plant in self.plants if plant["letter"] == "F"]:
            self.zombies = [zombie for zombie in self.zombies if zombie["row"] != chili["row"]]
            self.plants.remove(chili)

    def earn(self) -> None:
        self.sun += self.sun_a_turn
        for plant in self.plants:
            if plant["letter"] == "X":
                self.sun += 10

    def shoot(self) -> None:
        for row in range(self.rows):
            for column in range(self.columns):
                plant = self.plant_at(row, column)
                if plant is None or plant["letter"] not in "WS":
                    continue
                right = self.plant_at(row, column + 1)
                damage = 2 if right is not None and right["letter"] == "H" else 1
                for lane in [row] if plant["letter"] == "W" else [row - 1, row, row + 1]:
                    self.hit(lane, column, damage)

    def hit(self, lane: int, column: int, damage: int) -> None:
        for place in range(column, self.columns):
            for zombie in self.zombies:
                if (zombie["row"], zombie["column"]) == (lane, place):
                    zombie["hp"] -= damage
                    if zombie["hp"] <= 0:
                        self.zombies.remove(zombie)
                    return

    def walk(self) -> int | None:
        """Return the row of a zombie that reached the house."""
        for row in range(self.rows):
            for zombie in [zombie for zombie in self.zombies if zombie["row"] == row]:
                plant = self.plant_at(row, zombie["column"])
                if plant is not None:
                    plant["hp"] -= ATTACK[zombie["letter"]]
                    if plant["hp"] <= 0:
                        self.plants.remove(plant)
                elif zombie["column"] == 0:
                    return row
                else:
                    zombie["column"] -= 1
        return None

    def spawn(self) -> None:
        if self.turn % self.spawn_every != 0:
            return
        stage = self.turn // self.stage_turns
        for _ in range(1 + stage):
            row = int(self.chance.random() * self.rows)
            kinds = {0: ["N"], 1: ["N", "R"]}.get(stage, ["N", "R", "B", "I"])
            kind = kinds[int(self.chance.random() * len(kinds))]
            hp = ZOMBIE_HP[kind] + self.stage_hp * stage
            self.zombies.append({"letter": kind, "row": row, "column": self.columns - 1, "hp": hp})

    def observation(self) -> str:
        lines = [f"Turn: {self.turn}", f"Sun: {self.sun}", "Field, row 0 and column 0 first:"]
        board = [[self.mark(row, column) for column in range(self.columns)] for row in range(self.rows)]
        by_cell = sorted(self.plants, key=lambda plant: (plant["row"], plant["column"]))
        by_row = [zombie for row in range(self.rows) for zombie in self.zombies if zombie["row"] == row]
        return "\n".join([*lines, *map(" ".join, board), f"Plants: {listed(by_cell)}", f"Zombies: {listed(by_row)}"])

    def mark(self, row: int, column: int) -> str:
        plant = self.plant_at(row, column)
        crowd = [zombie for zombie in self.zombies if (zombie["row"], zombie["column"]) == (row, column)]
        if plant is None:
            return "z" if crowd else "."
        return "*" if crowd else plant["letter"]


def listed(units: list[Unit]) -> str:
    return "; ".join(f"{unit['letter']} {unit['row']} {unit['column']} hp {unit['hp']}" for unit in units) or "none"


def some(items: list[str]) -> str:
    return ", ".join(items[:6]) + (f" and {len(items) - 6} more" if len(items) > 6 else "")
