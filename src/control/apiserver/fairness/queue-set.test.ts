import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deal, QueueSet, type Ticket } from "./queue-set.ts";

test("[SEC-4] a flow is always dealt the same hand of different queues", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 8 }),
      (flow, deck, size) => {
        const hand = deal(flow, deck, size);
        assert.equal(new Set(hand).size, Math.min(size, deck));
        assert.ok(hand.every((card) => card >= 0 && card < deck));
        assert.deepEqual(deal(flow, deck, size), hand);
      },
    ),
  );
});

test("[SEC-4] a flow that sends a hundred times as much is served no more than another", () => {
  const queues = new QueueSet({ queues: 64, handSize: 4, lengthLimit: 50 });
  const served: string[] = [];
  const ticket = (flow: string): Ticket => ({ seats: 1, start: () => served.push(flow) });
  const accepted = Array.from({ length: 1000 }, () => queues.add("greedy", ticket("greedy")));
  assert.equal(accepted.filter(Boolean).length, 4 * 50);
  for (let n = 0; n < 10; n++) queues.add("modest", ticket("modest"));
  while (queues.dispatch(() => true)) {
    // Until nobody waits.
  }
  const lastModest = served.lastIndexOf("modest");
  // Of the queues of both flows the least served one is next: four of one, one or more of the other.
  assert.ok(lastModest < 60, `the modest flow was through after ${lastModest} requests`);
  assert.equal(served.length, 210);
});

test("[SEC-4] who does not wait any longer is not served", () => {
  const queues = new QueueSet({ queues: 2, handSize: 1, lengthLimit: 5 });
  const ticket: Ticket = { seats: 1, start: () => assert.fail("it was served") };
  queues.add("a", ticket);
  queues.remove(ticket);
  assert.equal(queues.waiting, 0);
  assert.equal(
    queues.dispatch(() => true),
    false,
  );
});
