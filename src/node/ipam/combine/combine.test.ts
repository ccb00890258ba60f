import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Invocation, Outcome } from "../run.ts";
import { combine, type Leading, type Meeting } from "./combine.ts";
import { Visitors } from "./visitors.ts";

type Answer = (invocation: Invocation) => Promise<Outcome>;

/** A meeting in memory, for processes that are only promises. */
class FakeMeeting implements Meeting {
  leaders = 0;
  #leader: { answer: Answer; visitors: Visitors } | "dead" | undefined;

  kill(): void {
    this.#leader = "dead";
  }

  bury(): void {
    this.#leader = undefined;
  }

  async ask(invocation: Invocation): Promise<Outcome | "nobody" | "silence"> {
    const leader = this.#leader;
    if (leader === undefined) return "nobody";
    if (leader === "dead") return "silence";
    return leader.visitors.receive(() => leader.answer(invocation));
  }

  async lead(answer: Answer): Promise<Leading | undefined> {
    if (this.#leader !== undefined) return undefined;
    this.leaders++;
    const visitors = new Visitors();
    const own = { answer, visitors };
    this.#leader = own;
    return {
      get isBusy() {
        return visitors.present > 0;
      },
      idle: (milliseconds) => visitors.until("gone", milliseconds),
      visited: (milliseconds) => visitors.until("there", milliseconds),
      leave: async () => {
        if (this.#leader === own) this.#leader = undefined;
      },
      close: async () => undefined,
    };
  }
}

function of(name: string): Invocation {
  return { variables: {}, input: name, node: "n" };
}

const carryOut: Answer = async ({ input }) => {
  await sleep(5);
  return { output: `done ${input}`, failed: false };
};

test("[IPAM-8] of processes at the same time one does the work of all", async () => {
  const meeting = new FakeMeeting();
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const outcomes = await Promise.all(names.map((name) => combine(of(name), meeting, carryOut)));
  assert.deepEqual(
    outcomes.map(({ output }) => output),
    names.map((name) => `done ${name}`),
  );
  assert.equal(meeting.leaders, 1);
});

test("one after the other, each leads for itself and leaves at once", async () => {
  const meeting = new FakeMeeting();
  for (const name of ["a", "b"]) await combine(of(name), meeting, carryOut);
  assert.equal(meeting.leaders, 2);
});

test("a leader that died is replaced", async () => {
  const meeting = new FakeMeeting();
  meeting.kill();
  assert.equal((await combine(of("a"), meeting, carryOut)).output, "done a");
  assert.equal(meeting.leaders, 1);
});
