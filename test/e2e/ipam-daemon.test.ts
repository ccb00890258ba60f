// tandem-ipam and its daemon: who does the work, and what happens when the daemon is away.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chownSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  addressesOf,
  assertError,
  cniEnvironment,
  ipamProgram,
  type Json,
} from "../fixtures/ipam.ts";
import { TestDaemon } from "../fixtures/ipam-daemon.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));
/** The small part alone: whatever it answers, the daemon did. */
const alone = join(scratch, "tandem-ipam");
copyFileSync(ipamProgram, alone);

const timeout = 120_000;

interface Call {
  readonly program?: string;
  readonly socket: string;
  readonly command?: "ADD" | "DEL" | "VERSION" | "STATUS";
  readonly pod?: string;
  readonly ipam?: Json;
}

/** The exit code, and what was printed. */
async function call({ program = ipamProgram, socket, command = "ADD", pod = "a", ipam }: Call) {
  const settings = { type: "tandem-ipam", datastore: "local", data_dir: join(scratch, "data") };
  const ranges = { ipRanges: [{ range: "10.77.0.0/16" }, { range: "fd77::/64" }] };
  const network = {
    cniVersion: "1.1.0",
    name: "daemon",
    type: "bridge",
    ipam: { ...settings, ...ranges, ...ipam },
  };
  const about = { command, network, container: pod, pod, netns: "/proc/self/ns/net" };
  const env = { ...cniEnvironment(about), TANDEM_IPAM_SOCKET: socket };
  const child = spawn(program, { env, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.end(JSON.stringify(network));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { code, json: output === "" ? {} : (JSON.parse(output) as Json) };
}

test("[IPAM-5] [IPAM-6] the daemon does the work: the small program needs nothing else", {
  timeout,
}, async () => {
  await using daemon = await TestDaemon.start();
  const { socket } = daemon;
  const added = await call({ program: alone, socket });
  assert.equal(added.code, 0);
  assert.deepEqual(addressesOf(added.json), ["10.77.0.1", "fd77::1"]);
  const version = await call({ program: alone, socket, command: "VERSION" });
  assert.ok(Array.isArray(version.json["supportedVersions"]));
  const refused = await call({ program: alone, socket, ipam: { ipRanges: [{ range: "no" }] } });
  assert.equal(refused.code, 1);
  assertError(refused.json, 7);
  // Far more than a socket takes in at once.
  const exclude = Array.from({ length: 20_000 }, (_, n) => `10.77.${64 + (n >> 8)}.${n & 255}/32`);
  const large = await call({ program: alone, socket, ipam: { exclude, range: "10.77.0.0/16" } });
  assert.equal(large.code, 0, JSON.stringify(large.json));
  assert.equal((await call({ program: alone, socket, command: "DEL" })).code, 0);
  await daemon.stop();
  assert.ok(!existsSync(socket), "nothing stays behind");
});

test("[IPAM-6] without daemon and full program, the error names both places", async () => {
  const socket = join(scratch, "nobody.sock");
  const { code, json } = await call({ program: alone, socket });
  assert.equal(code, 1);
  assertError(json, 11);
  assert.match(String(json["msg"]), /nobody\.sock/);
  assert.match(String(json["msg"]), /tandem-ipam-full/);
});

test("[IPAM-5] a daemon that was killed is done without, and one that hangs after a while", {
  timeout,
}, async () => {
  await using daemon = await TestDaemon.start();
  const { socket } = daemon;
  const addresses = addressesOf((await call({ program: alone, socket, pod: "b" })).json);
  await daemon.kill();
  assert.ok(existsSync(socket));
  assert.deepEqual(addressesOf((await call({ socket, pod: "b" })).json), addresses);
  await daemon.launch();
  daemon.signal("SIGSTOP");
  try {
    assert.deepEqual(addressesOf((await call({ socket, pod: "b" })).json), addresses);
  } finally {
    daemon.signal("SIGCONT");
  }
  // It notices that nobody finds it any more.
  for (const deadline = Date.now() + 30_000; !existsSync(socket); ) {
    assert.ok(Date.now() < deadline, "the daemon does not come back");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(addressesOf((await call({ program: alone, socket, pod: "b" })).json), addresses);
});

test("[IPAM-8] what listens for another user is not believed", { timeout }, async () => {
  const nobody = 65_534;
  const directory = mkdtempSync(join(tmpdir(), "tandem-ipam-open-"));
  chownSync(directory, nobody, nobody);
  const socket = join(directory, "false.sock");
  const answer = "42\n0" + '{"cniVersion":"1.1.0","ips":[]}'.padEnd(41);
  const server = createServer((connection) => connection.on("error", () => undefined).end(answer));
  // Who listens is who was asking to, at the time.
  process.seteuid?.(nobody);
  try {
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject).listen(socket, resolve);
    });
  } finally {
    process.seteuid?.(0);
  }
  try {
    const { code, json } = await call({ program: alone, socket });
    assert.equal(code, 1);
    assertError(json, 11);
  } finally {
    server.close();
    rmSync(directory, { recursive: true });
  }
});

test("[IPAM-6] a datastore that does not answer is waited for, and the daemon's error told", {
  timeout,
}, async () => {
  await using daemon = await TestDaemon.start();
  // Takes connections and says nothing, for longer than a daemon may be silent.
  const silent = createServer();
  await new Promise<void>((resolve) => {
    silent.listen(0, "127.0.0.1", resolve);
  });
  try {
    const { port } = silent.address() as AddressInfo;
    const ipam = { datastore: "etcd", etcd_host: `127.0.0.1:${port}` };
    const { code, json } = await call({ program: alone, socket: daemon.socket, ipam });
    assert.equal(code, 1);
    assertError(json, 11);
    assert.doesNotMatch(String(json["msg"]), /tandem-ipam-full/);
  } finally {
    silent.close();
  }
});
