import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { ConnectionLimits, usualConnections } from "./connections.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  readonly remotePort: number;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

const open = (limits: ConnectionLimits, address: string, port: number): FakeSocket => {
  const socket = new FakeSocket(address, port);
  limits.opened(socket as unknown as Socket);
  return socket;
};

const someone = { name: "someone", isExempt: false };

test("[SEC-4] a user beyond their connections loses idle ones, wherever they come from, and nobody else does", () => {
  const limits = new ConnectionLimits({ inAll: 100, perAddress: 100, perUser: 2 });
  const ask = (user: string, isExempt = false) => {
    const socket = open(limits, "balancer", limits.size + 1000 * asked++);
    return { socket, over: limits.busy(socket, { name: user, isExempt }) };
  };
  let asked = 0;
  const other = ask("other");
  other.over();
  const [first, second] = [ask("greedy"), ask("greedy")];
  assert.throws(() => ask("greedy"), /Too many connections of one user: the limit is 2/);
  first.over();
  assert.equal(ask("greedy").socket.destroyed, false);
  assert.deepEqual(
    [first, second, other].map(({ socket }) => socket.destroyed),
    [true, false, false],
  );
  for (let count = 0; count < 5; count++) assert.ok(ask("master", true));
});

test("[SEC-4] a client beyond its connections loses its oldest idle one, and never one of others", () => {
  const limits = new ConnectionLimits({ inAll: 10, perAddress: 2, perUser: 100 });
  const other = open(limits, "b", 1);
  const first = open(limits, "a", 1);
  const over = limits.busy(first, someone);
  const second = open(limits, "a", 2);
  const third = open(limits, "a", 3);
  assert.deepEqual(
    [first, second, third, other].map((each) => each.destroyed),
    [false, true, false, false],
  );
  limits.busy(third, someone);
  assert.equal(open(limits, "a", 4).destroyed, true);
  over();
  assert.equal(open(limits, "a", 5).destroyed, false);
  assert.equal(first.destroyed, true);
  assert.equal(limits.size, 3);
});

test("[SEC-4] when all are taken, whoever has most makes room", () => {
  const limits = new ConnectionLimits({ inAll: 4, perAddress: 4, perUser: 100 });
  const greedy = [1, 2, 3].map((port) => open(limits, "greedy", port));
  const modest = open(limits, "modest", 1);
  const next = open(limits, "new", 1);
  assert.equal(greedy[0]?.destroyed, true);
  assert.equal(modest.destroyed, false);
  assert.equal(next.destroyed, false);
  assert.equal(limits.size, 4);
});

test("[SEC-4] descriptors are left for the server itself", () => {
  assert.deepEqual(usualConnections(1024), { inAll: 512, perAddress: 256, perUser: 128 });
  assert.deepEqual(usualConnections(1_000_000), { inAll: 10_000, perAddress: 5000, perUser: 2500 });
});
