// Answers while the cluster changes: measured, and never of the past once the present has been told.

import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as packet from "dns-packet";
import { DnsServer } from "./dns-fixture.ts";

const rounds = 60;
const members = 5;

/** The addresses of the given round, of which none is in any other. */
function addressesOf(round: number): string[] {
  return Array.from({ length: members }, (_, index) => `10.${round}.0.${index + 1}`);
}

it("[DNS-3] answers follow changes, each as a whole and in order", async (context) => {
  await using dns = await DnsServer.start();
  await dns.service("moving", { clusterIP: "None" });
  const endpoints = (round: number) =>
    addressesOf(round).map((address) => ({ addresses: [address] }));
  await dns.slice("moving", "moving", { addressType: "IPv4", endpoints: endpoints(0) });
  const name = "moving.default.svc.cluster.local";
  await dns.digUntil(name, "A", ({ answers }) => answers.length === members);

  const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/moving";
  const writtenAt: number[] = [performance.now()];
  const seenAt: number[] = [performance.now()];
  const watching = watch(dns.port, name);
  let newest = 0;
  let answers = 0;
  const stop = new AbortController();
  const following = (async () => {
    for await (const addresses of watching) {
      if (stop.signal.aborted) return;
      answers += 1;
      const round = Number(addresses[0]?.split(".")[1]);
      assert.deepEqual(addresses.toSorted(), addressesOf(round), "all of one round");
      assert.ok(round >= newest, `round ${round} was told after round ${newest}`);
      for (; newest < round; newest++) seenAt[newest + 1] = performance.now();
    }
  })();
  for (let round = 1; round <= rounds; round++) {
    const body = JSON.stringify({ endpoints: endpoints(round) });
    const { code, text } = await dns.api.send("PATCH", path, {
      body,
      type: "application/merge-patch+json",
    });
    writtenAt[round] = performance.now();
    assert.equal(code, 200, text);
    await sleep(round % 3 === 0 ? 20 : 0);
  }
  await dns.until(() => Promise.resolve(newest === rounds));
  stop.abort();
  await following;
  const delays = writtenAt
    .map((at, round) => Math.max(0, (seenAt[round] ?? 0) - at))
    .toSorted((a, b) => a - b);
  const at = (share: number) => (delays[Math.ceil(share * delays.length) - 1] ?? 0).toFixed(1);
  context.diagnostic(
    `${rounds} changes, ${answers} answers; an answer follows after ${at(0.5)} ms (median), ${at(0.99)} ms (p99)`,
  );
});

/** The addresses of one answer after the other. */
async function* watch(port: number, name: string): AsyncGenerator<string[]> {
  const socket = createSocket("udp4");
  // An answer that gets lost must not keep a test alive that has failed.
  socket.unref();
  const message = packet.encode({ type: "query", id: 1, questions: [{ name, type: "A" }] });
  try {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<Buffer>();
      socket.once("message", resolve);
      socket.send(message, port, "127.0.0.1");
      const { answers = [] } = packet.decode(await promise);
      yield answers.map((answer) => (answer.type === "A" ? answer.data : ""));
    }
  } finally {
    socket.close();
  }
}
