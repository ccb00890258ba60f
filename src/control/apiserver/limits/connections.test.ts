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

test("[SEC-4] a client beyond its connections loses its oldest idle one, and never one of others", () => {
  const limits = new ConnectionLimits({ inAll: 10, perAddress: 2 });
  const other = open(limits, "b", 1);
  const first = open(limits, "a", 1);
  const over = limits.busy(first);
  const second = open(limits, "a", 2);
  const third = open(limits, "a", 3);
  assert.deepEqual(
    [first, second, third, other].map((each) => each.destroyed),
    [false, true, false, false],
  );
  limits.busy(third);
  assert.equal(open(limits, "a", 4).destroyed, true);
  over();
  assert.equal(open(limits, "a", 5).destroyed, false);
  assert.equal(first.destroyed, true);
  assert.equal(limits.size, 3);
});

test("[SEC-4] when all are taken, whoever has most makes room", () => {
  const limits = new ConnectionLimits({ inAll: 4, perAddress: 4 });
  const greedy = [1, 2, 3].map((port) => open(limits, "greedy", port));
  const modest = open(limits, "modest", 1);
  const next = open(limits, "new", 1);
  assert.equal(greedy[0]?.destroyed, true);
  assert.equal(modest.destroyed, false);
  assert.equal(next.destroyed, false);
  assert.equal(limits.size, 4);
});

test("[SEC-4] descriptors are left for the server itself", () => {
  assert.deepEqual(usualConnections(1024), { inAll: 512, perAddress: 256 });
  assert.deepEqual(usualConnections(1_000_000), { inAll: 10_000, perAddress: 5000 });
});
