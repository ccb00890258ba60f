// The images that are part of Tandem: echo, in a network of its own, and this program itself.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { NodeContainers } from "../../src/node/runtime/port.ts";
import { finished, openNode } from "./containers.fixture.ts";
import { openSandbox } from "./host/sandbox.ts";

const sandbox = await openSandbox();
const node = await openNode();
after(() => node[Symbol.asyncDispose]());
const { containers } = node;
const { path: network, commands } = await sandbox.enter("echo");
const addresses = { IPv4: "10.77.0.7", IPv6: "fd77::7" } as const;
await commands.run(["ip", "link", "set", "lo", "up"]);
await commands.run(["ip", "address", "add", `${addresses.IPv4}/32`, "dev", "lo"]);
await commands.run(["ip", "address", "add", `${addresses.IPv6}/128`, "dev", "lo", "nodad"]);

const { id: image } = await node.images.ensure("tandem.internal/echo:latest", "IfNotPresent");
const environment = {
  POD_NAME: "echo-1",
  POD_NAMESPACE: "tests",
  POD_IPS: `${addresses.IPv4},${addresses.IPv6}`,
};

interface Said {
  readonly client: { readonly address: string };
  readonly server: { readonly address: string; readonly port: number };
  readonly pod: { readonly name: string; readonly namespace: string; readonly addresses: string[] };
  readonly text?: string;
  readonly path?: string;
}

async function ask(
  agent: NodeContainers,
  id: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const command = ["tandem-echo", "--timeout=30s", ...words];
  return await finished(await agent.exec(id, { command }));
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await check())) assert.ok(Date.now() < deadline, "Cannot wait any longer");
}

/** Starts an echo, waits until it answers on the address, and removes it in the end. */
async function withEcho(
  { args, probe }: { readonly args: readonly string[]; readonly probe: string },
  work: (id: string) => Promise<void>,
): Promise<void> {
  const spec = node.spec({ image, args, environment, namespaces: { network } });
  const { id } = await containers.start(spec);
  try {
    await until(async () => (await ask(containers, id, "get", `${probe}/healthz`)).code === 0);
    await work(id);
  } finally {
    await containers.remove(id);
  }
}

function inUrl(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

test("echo says who asks, by HTTP and UDP, in both families", async () => {
  await withEcho({ args: ["serve"], probe: "http://127.0.0.1:8080" }, async (id) => {
    for (const address of Object.values(addresses)) {
      const at = `${inUrl(address)}:8080`;
      const http = await ask(containers, id, "get", `http://${at}/a/path`, "--source", address);
      const udp = await ask(containers, id, "udp", at, "some words", "--source", address);
      for (const { stdout } of [http, udp]) {
        const said = JSON.parse(stdout) as Said;
        assert.deepEqual([said.client.address, said.server], [address, { address, port: 8080 }]);
        assert.deepEqual(said.pod, {
          name: "echo-1",
          namespace: "tests",
          addresses: Object.values(addresses),
        });
      }
      assert.equal((JSON.parse(http.stdout) as Said).path, "/a/path");
      assert.equal((JSON.parse(udp.stdout) as Said).text, "some words");
    }
    const name = await ask(containers, id, "get", "http://localhost:8080/hostname");
    assert.equal(name.stdout, "echo-1\n");
  });
});

for (const [family, address] of Object.entries(addresses)) {
  test(`echo can be bound to ${family} alone`, async () => {
    const everywhere = family === "IPv4" ? "0.0.0.0" : "[::]";
    const probe = `http://${inUrl(address)}:9090`;
    const args = ["serve", "--http-port=9090", "--udp-port=9091", `--listen=${everywhere}`];
    await withEcho({ args, probe }, async (id) => {
      const other = family === "IPv4" ? addresses.IPv6 : addresses.IPv4;
      const refused = await ask(containers, id, "get", `http://${inUrl(other)}:9090/`);
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(refused.stderr, /ECONNREFUSED/);
      assert.equal((await ask(containers, id, "udp", `${inUrl(address)}:9091`, "x")).code, 0);
      const silent = ["udp", `${inUrl(other)}:9091`, "x", "--timeout=100ms"];
      assert.equal((await ask(containers, id, ...silent)).code, 1);
    });
  });
}

test("echo exits when it is asked to, or told to", async () => {
  const spec = node.spec({ image, environment, namespaces: { network } });
  await containers.start(spec);
  const asked = async (): Promise<boolean> =>
    (await ask(containers, spec.id, "get", "http://[::1]:8080/exit?code=6").catch(() => undefined))
      ?.code === 0;
  await until(async () => (await containers.get(spec.id))?.status === "exited" || (await asked()));
  assert.equal((await containers.exited(spec.id)).exitCode, 6);
  await containers.remove(spec.id);
  await withEcho({ args: ["serve"], probe: "http://[::1]:8080" }, async (id) => {
    await containers.kill(id, "SIGTERM");
    assert.equal((await containers.exited(id)).exitCode, 0);
  });
});

test("this program runs in its own image", async () => {
  const { id: tandem } = await node.images.ensure("tandem.internal/tandem", "IfNotPresent");
  const spec = node.spec({ image: tandem, args: ["version"], namespaces: { network } });
  await containers.start(spec);
  const { exitCode } = await containers.exited(spec.id);
  const text = await node.logOf(spec.id);
  assert.equal(exitCode, 0, text);
  assert.match(text, /\d+\.\d+\.\d+/);
  await containers.remove(spec.id);
  assert.deepEqual(await node.traces(), []);
});
