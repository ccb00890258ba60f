import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { describe, test } from "node:test";
import type { Container, PodIP, Probe } from "../../../api/types/core.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { systemClock } from "../../../base/host/clock.system.ts";
import { slotsOf } from "../decide/slots.ts";
import type { ProbeFamily } from "../options.ts";
import { FakeContainers } from "../testing/containers.fake.ts";
import { podOf } from "../testing/pod.ts";
import { ask as askPod } from "./ask.ts";
import { runProbes } from "./container-probes.ts";
import { handleWithin } from "./handler.ts";
import { probeAddresses } from "./target.ts";

const both: PodIP[] = [{ ip: "::1" }, { ip: "127.0.0.1" }];

function targetOf(
  container: Partial<Container>,
  preferredFamily: ProbeFamily = "none",
  podIPs = both,
) {
  const [slot] = slotsOf(podOf("web", { container }).spec);
  assert.ok(slot);
  const clock = systemClock;
  const containers = new FakeContainers(clock);
  return { slot, id: "id", podIPs, preferredFamily, containers, clock, ask: askPod };
}

async function ask(
  probe: Probe,
  target: ReturnType<typeof targetOf>,
  timeoutMs = 30_000,
): Promise<string> {
  const { signal } = new AbortController();
  try {
    await handleWithin(probe, target, { timeoutMs, signal });
    return "good";
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error);
  }
}

async function listening(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("[PROBE-2] the address that is probed", () => {
  const marked = { ip: "10.9.0.1", properties: { "tandem.internal/network": "blue" } };
  const pair = [{ ip: "fd00::5" }, { ip: "10.0.0.5" }, marked];
  const chosen = (podIPs: PodIP[], family: ProbeFamily) =>
    probeAddresses(podIPs, family).map(String);

  test("is the pod's first, or the one of the preferred family", () => {
    assert.deepEqual(chosen(pair, "none"), ["fd00::5"]);
    assert.deepEqual(chosen(pair, "ipv4"), ["10.0.0.5"]);
    assert.deepEqual(chosen(pair, "ipv6"), ["fd00::5"]);
    assert.deepEqual(chosen(pair, "dual-stack"), ["fd00::5", "10.0.0.5"]);
  });

  test("is the only one when there is one, whatever is preferred", () => {
    for (const family of ["none", "ipv4", "ipv6", "dual-stack"] as const) {
      assert.deepEqual(chosen([{ ip: "fd00::5" }], family), ["fd00::5"]);
    }
    assert.deepEqual(chosen([], "none"), []);
  });

  for (const [host, family] of [
    ["::1", "ipv6"],
    ["127.0.0.1", "ipv4"],
  ] as const) {
    test(`reaches a server on ${host} with ${family} and dual-stack only`, async () => {
      const server = createTcpServer((socket) => socket.end());
      try {
        const tcpSocket = { port: await listening(server, host) };
        const other = family === "ipv4" ? "ipv6" : "ipv4";
        assert.equal(await ask({ tcpSocket }, targetOf({}, family)), "good");
        assert.equal(await ask({ tcpSocket }, targetOf({}, "dual-stack")), "good");
        assert.match(await ask({ tcpSocket }, targetOf({}, other)), /ECONNREFUSED/);
      } finally {
        server.close();
      }
    });
  }
});

describe("[PROBE-1] probes", () => {
  test("http: status, path, headers, named ports", async () => {
    const seen: string[] = [];
    const server = createHttpServer(({ url, headers }, response) => {
      seen.push(`${url} ${headers.host} ${String(headers["x-colour"])}`);
      response.statusCode = url === "/bad" ? 503 : 204;
      response.end();
    });
    try {
      const containerPort = await listening(server, "::1");
      const target = targetOf({ ports: [{ name: "http", containerPort }] });
      const httpHeaders = [
        { name: "Host", value: "example.com" },
        { name: "X-Colour", value: "blue" },
      ];
      assert.equal(
        await ask({ httpGet: { port: "http", path: "ok", httpHeaders } }, target),
        "good",
      );
      assert.deepEqual(seen, ["/ok example.com blue"]);
      const answer = await ask({ httpGet: { port: "http", path: "/bad" } }, target);
      assert.equal(answer, "the answer was HTTP status 503");
      assert.match(await ask({ httpGet: { port: "none" } }, target), /no port of that name/);
    } finally {
      server.close();
    }
  });

  test("grpc: a service that serves, one that does not, one that is unknown", async () => {
    const server = createHttp2Server();
    server.on("stream", (stream: ServerHttp2Stream, headers) => {
      assert.equal(headers[":path"], "/grpc.health.v1.Health/Check");
      stream.on("data", (chunk: Buffer) => {
        const service = chunk.subarray(7).toString();
        const status = service === "known" || service === "" ? 1 : 2;
        stream.respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
        stream.on("wantTrailers", () =>
          stream.sendTrailers({ "grpc-status": service === "none" ? "5" : "0" }),
        );
        stream.end(Buffer.from([0, 0, 0, 0, 2, 8, status]));
      });
    });
    try {
      server.listen(0, "::1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const target = targetOf({});
      assert.equal(await ask({ grpc: { port } }, target), "good");
      assert.equal(await ask({ grpc: { port, service: "known" } }, target), "good");
      assert.equal(
        await ask({ grpc: { port, service: "ill" } }, target),
        "the service is NOT_SERVING",
      );
      assert.equal(
        await ask({ grpc: { port, service: "none" } }, target),
        "the answer was gRPC status 5",
      );
      assert.match(await ask({ grpc: { port: 1 } }, target), /ECONNREFUSED/);
    } finally {
      server.close();
    }
  });

  test("exec: the exit code counts", async () => {
    const target = targetOf({});
    target.containers.exitCode = ([word]) => (word === "true" ? 0 : 7);
    assert.equal(await ask({ exec: { command: ["true"] } }, target), "good");
    assert.equal(await ask({ exec: { command: ["false"] } }, target), "the command ended with 7");
  });

  test("one that takes too long has failed", async () => {
    const server = createHttpServer(() => undefined);
    try {
      const port = await listening(server, "::1");
      assert.equal(
        await ask({ httpGet: { port } }, targetOf({}), 50),
        "it took longer than 0.05 s",
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

test("[PROBE-1] thresholds and order: startup first, readiness to and fro, liveness to the end", async () => {
  const clock = new FakeClock();
  const every = { periodSeconds: 1, exec: { command: ["probe"] } };
  const good = { startup: false, readiness: true, liveness: true };
  const command = (word: keyof typeof good) => ({ ...every, exec: { command: [word] } });
  const target = {
    ...targetOf({
      startupProbe: { ...command("startup"), failureThreshold: 100 },
      readinessProbe: { ...command("readiness"), failureThreshold: 2, successThreshold: 2 },
      livenessProbe: {
        ...command("liveness"),
        failureThreshold: 3,
        terminationGracePeriodSeconds: 5,
      },
    }),
    clock,
    ask: askPod,
  };
  target.containers.exitCode = ([word]) => (good[word as keyof typeof good] ? 0 : 1);
  const found: string[] = [];
  const stop = new AbortController();
  const running = runProbes({
    target,
    isStarted: false,
    hasProbes: true,
    signal: stop.signal,
    findings: {
      started: () => found.push("started"),
      ready: (isReady) => found.push(isReady ? "ready" : "not ready"),
      failed: (message, grace) => found.push(`${message} ${grace}`),
      remark: () => undefined,
    },
  });
  const settle = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) await clock.advance(500);
  };
  await settle(5_000);
  assert.equal(found.length, 0);
  assert.ok(target.containers.executed.every((word) => word === "startup"));
  good.startup = true;
  await settle(4_000);
  assert.deepEqual(found.slice(0, 2), ["started", "ready"]);
  good.readiness = false;
  await settle(3_500);
  assert.equal(found.at(-1), "not ready");
  good.liveness = false;
  await settle(5_000);
  assert.ok(found.includes("Container main failed liveness probe 5"));
  stop.abort();
  await running;
});
