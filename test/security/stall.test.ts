// One request must not stop the API, and ten users who try it all the time must not either.
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TestServer } from "../fixtures/server.ts";
import { Crowd, prepareCrowd, senders, tokenFile } from "./crowd.ts";
import { worstKinds } from "./worst-requests.ts";

const isSoak = process.env["TANDEM_SOAK"] === "1";
const requests = isSoak ? 100_000 : 10_000;
/** The longest turn that a quiet machine may show, in seconds of CPU. */
const longestTurn = 0.05;

suite("[SEC-4] no request stops the server", () => {
  let server: TestServer;
  const tokens = join(tmpdir(), `stall-tokens-${process.pid}`);

  before(async () => {
    await writeFile(tokens, tokenFile(), { mode: 0o600 });
    server = await TestServer.start({ arguments: [`--token-file=${tokens}`] });
    await prepareCrowd(server);
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(tokens, { force: true });
  });

  for (const kind of worstKinds()) {
    test(`[SEC-4] ${kind.name}: the server's thread goes on meanwhile`, async () => {
      const crowd = new Crowd(server);
      const [sender] = senders;
      if (sender === undefined) return;
      for (const one of kind.before?.(sender.namespace) ?? []) await crowd.ask(one, sender.token);
      const turns = await longTurns(server);
      const code = await crowd.ask(kind.request(sender.namespace, 0), sender.token);
      assert.ok(code >= 200 && code < 500, `it is answered with ${code}`);
      const later = await longTurns(server);
      assert.equal(later.beyond, turns.beyond, `a turn took ${later.longest} s of CPU`);
    });
  }

  test(`[SEC-4] ${requests} worst requests of ten users are cut or answered, and no heartbeat is missed`, async () => {
    const stop = new AbortController();
    const beats = beat(server, stop.signal);
    const crowd = new Crowd(server);
    const each = requests / senders.length;
    await crowd.send(worstKinds(1 / 30), { each, atOnce: 16 });
    stop.abort();
    const { sent, missed } = await beats;
    const codes = Object.fromEntries(crowd.codes);
    assert.deepEqual(missed, [], `of ${sent} heartbeats`);
    const answered = [...crowd.codes.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(answered >= requests, `${answered} were answered`);
    const faults = [...crowd.codes.keys()].filter((code) => code >= 500);
    assert.deepEqual(faults, [], `answers by code: ${JSON.stringify(codes)}`);
    assert.ok((crowd.codes.get(429) ?? 0) > 0, `nobody was told to wait: ${JSON.stringify(codes)}`);
    if (isSoak) {
      const { longest } = await longTurns(server);
      assert.ok(longest < longestTurn, `a turn took ${longest} s of CPU; ${JSON.stringify(codes)}`);
    }
    const node = await server.call("GET", "/api/v1/nodes/steady");
    const { conditions = [] } = node.body["status"] as { conditions?: { status: string }[] };
    assert.ok(
      conditions.every(({ status }) => status !== "Unknown"),
      "the controllers heard the heartbeats",
    );
  });
});

/** Turns beyond half a second of CPU, which is far below what each of these requests took, and the longest. */
async function longTurns(server: TestServer): Promise<{ beyond: number; longest: number }> {
  const { text } = await server.send("GET", "/metrics");
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
  const within = read('apiserver_long_turn_seconds_bucket\\{le="0.5"\\}');
  return {
    beyond: read("apiserver_long_turn_seconds_count") - within,
    longest: read("apiserver_longest_turn_seconds"),
  };
}

/** A node that renews its lease and tells its status, as nodes do but more often. */
async function beat(
  server: TestServer,
  signal: AbortSignal,
): Promise<{ sent: number; missed: string[] }> {
  const headers = { authorization: "Bearer node-token" };
  const send = (method: string, path: string, body: object) =>
    server.send(method, path, { body: JSON.stringify(body), headers, anonymous: true });
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  const spec = () => ({
    holderIdentity: "steady",
    leaseDurationSeconds: 40,
    renewTime: new Date().toISOString().replace("Z", "000Z"),
  });
  const missed: string[] = [];
  const note = ({ code, text }: { code: number; text: string }) => {
    if (code >= 300) missed.push(`${code}: ${text}`);
  };
  note(await send("POST", "/api/v1/nodes", { metadata: { name: "steady" } }));
  const now = new Date().toISOString();
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "", ...times };
  const status = { conditions: [ready] };
  note(await send("PUT", "/api/v1/nodes/steady/status", { metadata: { name: "steady" }, status }));
  note(await send("POST", leases, { metadata: { name: "steady" }, spec: spec() }));
  let sent = 0;
  while (!signal.aborted) {
    note(await send("PUT", `${leases}/steady`, { metadata: { name: "steady" }, spec: spec() }));
    sent++;
    await sleep(200);
  }
  return { sent, missed };
}
