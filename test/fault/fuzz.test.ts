// Bad requests by the thousand: each is refused with a Status, nothing is stored, the server lives on.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import { badRequests } from "../fixtures/bad-requests.ts";
import { TestServer } from "../fixtures/server.ts";

const requests = process.env.TANDEM_SOAK === "1" ? 100_000 : 2_000;

test(`[API-4] ${requests} bad requests are refused with a Status and leave no trace`, async () => {
  // Controllers store something too.
  await using server = await TestServer.start({ arguments: ["--controllers="] });
  const before = await server.call("GET", "/api/v1/configmaps");
  const pid = server.pid;
  // The first requests fill caches and compile code; memory is compared after them.
  const warm = Math.min(1_000, requests / 2);
  await refuse(server, warm);
  const memory = await residentBytes(pid);
  await refuse(server, requests - warm);
  const grown = (await residentBytes(pid)) - memory;
  assert.ok(grown < 150 << 20, `memory grew by ${grown >> 20} MiB`);
  const after = await server.call("GET", "/api/v1/configmaps");
  assert.equal(after.body.items?.length, before.body.items?.length);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

async function refuse(server: TestServer, count: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(badRequests, async ({ method, path, type, body }) => {
      const answer = await server.send(method, path, { type, body });
      assert.ok(answer.code >= 400 && answer.code < 500, `${answer.code}: ${answer.text}`);
      assert.equal(answer.body.kind, "Status", answer.text);
      assert.equal(typeof answer.body.reason, "string");
    }),
    { numRuns: count, endOnFailure: true },
  );
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}
