// Fuzzed requests of all formats: none crashes the server, none is answered with 500, and its memory goes back.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TestServer } from "../fixtures/server.ts";
import { fuzz, removeFuzzed } from "./fuzz.ts";
import { fuzzedNamespace } from "./fuzz-requests.ts";

const isSoak = process.env["TANDEM_SOAK"] === "1";
const requests = isSoak ? 1_000_000 : 10_000;
/** Other seeds than that of every day find what nobody has met yet, which is what the long runs are for. */
const seed = Number(process.env["TANDEM_SEED"] ?? (isSoak ? Date.now() % 1_000_000 : 849_492));
/** How much the memory may differ, of a process of about 200 MB. */
const tolerated = 100 << 20;

test(`[SEC-4] [API-4] ${requests} fuzzed requests of all formats: no crash, no answer of 500, no memory kept`, {
  timeout: 3_500_000,
}, async (t) => {
  t.diagnostic(`TANDEM_SEED=${seed}`);
  await using server = await TestServer.start({ arguments: ["--controllers="] });
  await server.call("POST", "/api/v1/namespaces", { metadata: { name: fuzzedNamespace } });
  const { pid } = server;
  // The first requests fill caches and compile code; memory is compared after them.
  const warm = await fuzz(server, requests / 10, seed);
  await removeFuzzed(server);
  const before = await residentBytes(pid);
  const { codes, faults } = await fuzz(server, requests - requests / 10, seed + 1);
  await removeFuzzed(server);
  t.diagnostic(`answers by code: ${JSON.stringify(Object.fromEntries(codes))}`);
  assert.deepEqual([...warm.faults, ...faults], [], server.output);
  assert.equal((await server.call("GET", "/readyz")).code, 200);
  let grown = 0;
  for (let tries = 0; tries < 30; tries++) {
    grown = (await residentBytes(pid)) - before;
    if (grown < tolerated) break;
    await sleep(1000);
  }
  t.diagnostic(`memory: ${before >> 20} MiB before, ${grown >> 20} MiB more after`);
  assert.ok(grown < tolerated, `memory grew by ${grown >> 20} MiB`);
  const { text } = await server.send("GET", "/metrics");
  const longest = Number(/^apiserver_longest_turn_seconds (\S+)/m.exec(text)?.[1]);
  t.diagnostic(`the longest turn took ${longest * 1000} ms of CPU`);
  if (isSoak) assert.ok(longest < 0.05, `a turn took ${longest} s of CPU`);
});

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}
