// Where a server can be reached: several addresses of both families, and a socket it was given.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { freePorts } from "../fixtures/etcd-member.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
let directory = "";
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "tandem-listen-"));
});
after(() => rm(directory, { recursive: true, force: true }));

test("[API-1] one server answers on addresses of both families", async () => {
  const [port = 0] = await freePorts(1, "127.0.0.1");
  const place = `127.0.0.1:${port},[::1]:${port}`;
  await using server = await start([`--listen=${place}`], []);
  for (const host of ["127.0.0.1", "::1"]) {
    assert.equal(await readiness({ host, port, ca: server.ca }), 200);
  }
});

test("[API-1] a server answers on a socket that it inherits", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  const { fd } = (listener as unknown as { _handle: { fd: number } })._handle;
  await using server = await start(
    ["--listen=", "--listen-fd=3", `--advertise=https://127.0.0.1:${port}`],
    [fd],
  );
  // From here on only the server has the socket.
  listener.close();
  assert.equal(await readiness({ host: "127.0.0.1", port, ca: server.ca }), 200);
});

test("[NODE-6] [NET-3] a server takes the lists of kube-apiserver, and says what it does not use of them", async () => {
  const [port = 0] = await freePorts(1, "127.0.0.1");
  const listed = "--bind-address=127.0.0.1,::1,127.0.0.2";
  const ranges = "--service-cluster-ip-range=fd00:97::/112,10.97.0.0/16,10.98.0.0/16";
  await using server = await start([listed, `--secure-port=${port}`, ranges], []);
  for (const host of ["127.0.0.1", "::1"]) {
    assert.equal(await readiness({ host, port, ca: server.ca }), 200);
  }
  await assert.rejects(readiness({ host: "127.0.0.2", port, ca: server.ca }), /ECONNREFUSED/);
  const service = await systemCommands().run([
    launcher,
    "describe",
    `--kubeconfig=${server.kubeconfig}`,
    "service",
    "kubernetes",
  ]);
  assert.match(service.stdout, /IPs: +fd00:97::1,10\.97\.0\.1\n/);
  const output = server.output.join("\n");
  assert.match(output, /ignored 127\.0\.0\.2: --bind-address has one of IPv4 before it/);
  assert.match(output, /ignored 10\.98\.0\.0\/16: --service-cluster-ip-range has one of IPv4/);
});

for (const [program, options] of [
  ["agent", ["--node-ip=127.0.0.1,127.0.0.2", "--pod-cidr=fd00::/64,fd01::/64"]],
  ["proxy run", ["--bind-address=::1,fd00::1", "--cluster-cidr=10.1.0.0/16,10.2.0.0/16"]],
] as const) {
  test(`[NET-3] tandem ${program} warns of what it does not use of its lists`, async () => {
    const places = program === "agent" ? [`--data-dir=${directory}`, `--run-dir=${directory}`] : [];
    // It ends there: nobody is to be joined.
    const nowhere = `--kubeconfig=${join(directory, "none")}`;
    const command = [launcher, ...program.split(" "), ...options, ...places, nowhere] as const;
    const failed = await systemCommands()
      .run(command)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    assert.ok(failed instanceof CommandError);
    for (const option of options) {
      const [flag = "", list = ""] = option.split("=");
      assert.ok(failed.stderr.includes(`ignored ${list.split(",")[1]}: ${flag} has one of IPv`));
    }
  });
}

async function start(args: readonly string[], descriptors: readonly number[]) {
  const home = await mkdtemp(join(directory, "server-"));
  const kubeconfig = join(home, "kubeconfig");
  const output: string[] = [];
  const running: RunningCommand = await systemCommands().start(
    [launcher, "server", `--data-dir=${home}/data`, `--kubeconfig-out=${kubeconfig}`, ...args],
    { descriptors, diesWithParent: true, onLine: (line) => output.push(line) },
  );
  const ended = running.exited.then(() => Promise.reject(new Error(output.join("\n"))));
  ended.catch(() => undefined);
  const ca = await Promise.race([authorityIn(kubeconfig), ended]);
  return {
    ca,
    kubeconfig,
    output,
    async [Symbol.asyncDispose]() {
      await running.stop();
    },
  };
}

/** The kubeconfig is written when the server serves. */
async function authorityIn(kubeconfig: string): Promise<Buffer> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const text = await readFile(kubeconfig, "utf8").catch(() => "");
    if (text !== "") {
      const { clusters } = parse(text) as {
        clusters: [{ cluster: { "certificate-authority-data": string } }];
      };
      return Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64");
    }
    await sleep(50);
  }
  throw new Error("no kubeconfig was written");
}

async function readiness(target: { host: string; port: number; ca: Buffer }): Promise<number> {
  const request = get({ ...target, path: "/readyz", agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}
