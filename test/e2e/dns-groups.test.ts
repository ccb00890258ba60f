import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { until } from "../fixtures/controllers.ts";
import { TestServer } from "../fixtures/server.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const path = "/api/v1/namespaces/default/pods";

async function watch(server: TestServer, args: readonly string[]): Promise<RunningCommand> {
  return await systemCommands().start(
    [
      launcher,
      "watch-group",
      "--selector=app=web",
      `--state-file=${join(server.directory, "group.json")}`,
      `--kubeconfig=${server.kubeconfig}`,
      ...args,
    ],
    { diesWithParent: true, onLine: (line) => process.stderr.write(`${line}\n`) },
  );
}

async function enter(server: TestServer, name: string, ips: readonly string[]): Promise<void> {
  const metadata = { name, labels: { app: "web" } };
  const containers = [{ name: "main", image: "echo" }];
  await server.call("POST", path, { metadata, spec: { nodeName: "n1", containers } });
  const podIPs = ips.map((ip) => ({ ip }));
  const body = JSON.stringify({ status: { phase: "Running", podIP: ips[0], podIPs } });
  const type = "application/merge-patch+json";
  const { code, text } = await server.send("PATCH", `${path}/${name}/status`, { body, type });
  assert.equal(code, 200, text);
}

async function leave(server: TestServer, name: string): Promise<void> {
  const { code } = await server.call("DELETE", `${path}/${name}?gracePeriodSeconds=0`);
  assert.equal(code, 200);
}

it("[MODEL-6] a command hears of each who joins and leaves, also across kills and while it was away", async () => {
  await using server = await TestServer.start();
  const file = join(server.directory, "told");
  const command = `echo "$TANDEM_EVENT $TANDEM_MEMBER_NAME $TANDEM_MEMBER_ADDRESSES $TANDEM_EVENT_ID" >> ${file}`;
  const told = async () => {
    const text = await readFile(file, "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  };
  const short = (lines: readonly string[]) =>
    lines.map((line) => line.split(" ").slice(0, 3).join(" "));
  await enter(server, "a", ["10.0.0.1", "fd00::1"]);
  {
    const watching = await watch(server, ["--exec", command]);
    await enter(server, "b", ["fd00::2", "10.0.0.2"]);
    await until(told, (lines) => lines.length === 2);
    watching.kill("SIGKILL");
    await watching.exited;
  }
  await leave(server, "a");
  await enter(server, "brief", ["10.0.0.3"]);
  await leave(server, "brief");
  const watching = await watch(server, ["--exec", command]);
  await until(told, (lines) => lines.some((line) => line.startsWith("leave brief")));
  await leave(server, "b");
  const lines = await until(told, (all) => all.some((line) => line.startsWith("leave b ")));
  await watching.stop();
  // A kill between telling and noting that it was told has the last one told twice, by the same id.
  const ids = lines.map((line) => line.split(" ")[3]);
  const distinct = lines.filter((_, index) => ids.indexOf(ids[index]) === index);
  assert.deepEqual(short(distinct), [
    "join a 10.0.0.1,fd00::1",
    "join b fd00::2,10.0.0.2",
    "leave a 10.0.0.1,fd00::1",
    "join brief 10.0.0.3",
    "leave brief 10.0.0.3",
    "leave b fd00::2,10.0.0.2",
  ]);
});

it("[MODEL-6] a webhook that fails is told again, in order, and then of nothing twice", async () => {
  await using server = await TestServer.start();
  const heard: string[] = [];
  let failures = 2;
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { id, type, member } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: string;
        type: string;
        member: { name: string; addresses: string[] };
      };
      assert.equal(request.headers["idempotency-key"], id);
      if (failures-- > 0) {
        response.writeHead(503).end();
        return;
      }
      heard.push(`${type} ${member.name} ${member.addresses.join()}`);
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, "::1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const watching = await watch(server, [`--webhook=http://[::1]:${port}/members`]);
  try {
    await enter(server, "a", ["10.0.0.1", "fd00::1"]);
    await enter(server, "b", ["10.0.0.2"]);
    // Who has left before the very first watch begins was never a member to it.
    await until(
      () => heard,
      (lines) => lines.includes("join b 10.0.0.2"),
    );
    await leave(server, "a");
    await until(
      () => heard,
      (lines) => lines.includes("leave a 10.0.0.1,fd00::1"),
    );
    assert.deepEqual(heard, [
      "join a 10.0.0.1,fd00::1",
      "join b 10.0.0.2",
      "leave a 10.0.0.1,fd00::1",
    ]);
  } finally {
    await watching.stop();
    receiver.close();
    receiver.closeAllConnections();
  }
});
