import assert from "node:assert/strict";
import { chmodSync, existsSync, linkSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import type { Invocation } from "../run.ts";
import { meetAtSocket } from "./sockets.system.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-sockets-"));
after(() => rmSync(scratch, { recursive: true }));

const invocation: Invocation = { variables: { CNI_COMMAND: "ADD" }, input: "{}", node: "n" };
const echo = async ({ input }: Invocation) => ({ output: input, failed: false });

/** Leaves a socket file that nobody listens on, as a killed process does. */
async function leaveBehind(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(`${path}.living`, resolve);
  });
  linkSync(`${path}.living`, path);
  await new Promise((resolve) => server.close(resolve));
}

test("[IPAM-8] one leads, others ask; when it leaves, the next can lead", async () => {
  const path = join(scratch, "lead.sock");
  const meeting = meetAtSocket(path, new FakeRandom());
  assert.ok(meeting);
  assert.equal(await meeting.ask(invocation), "nobody");
  const leading = await meeting.lead(echo);
  assert.ok(leading?.isPlaced);
  assert.equal(await meeting.lead(echo), undefined);
  assert.deepEqual(await meeting.ask(invocation), { output: "{}", failed: false });
  await leading.leave();
  await leading.close();
  assert.ok(!existsSync(path));
  const next = await meeting.lead(echo);
  assert.ok(next);
  meeting.bury();
  assert.ok(!next.isPlaced, "it sees that nobody finds it");
  await next.close();
});

test("who was killed is silent, and its place can be had", async () => {
  const path = join(scratch, "dead.sock");
  await leaveBehind(path);
  const meeting = meetAtSocket(path, new FakeRandom());
  assert.equal(await meeting?.ask(invocation), "silence");
  assert.equal(await meeting?.isAttended(), false);
});

test("what the killed have left is swept away, and nothing else", async () => {
  const names = ["here.sock.12-abc", "4026531833.sock", "another.sock", "here.sock.13-new"];
  for (const name of names) {
    await leaveBehind(join(scratch, name));
    if (!name.endsWith("new")) utimesSync(join(scratch, name), 0, 0);
  }
  const meeting = meetAtSocket(join(scratch, "here.sock"), new FakeRandom());
  const leading = await meeting?.lead(echo);
  try {
    await meeting?.sweep();
    const left = ["here.sock", ...names].filter((name) => existsSync(join(scratch, name)));
    assert.deepEqual(left, ["here.sock", "another.sock", "here.sock.13-new"]);
  } finally {
    await leading?.leave();
    await leading?.close();
  }
});

test("nobody meets where others can write", () => {
  const directory = mkdtempSync(join(scratch, "open-"));
  chmodSync(directory, 0o777);
  assert.equal(meetAtSocket(join(directory, "a.sock"), new FakeRandom()), undefined);
});
